/// An upper estimate of what `text` costs a model, in thirds of a token.
///
/// Byte-level tokenizers never give more tokens than bytes; runs of ASCII letters and spaces give at most one
/// for three characters in practice, digits and marks at most two for three.
pub(crate) fn weight(text: &str) -> usize {
    text.chars()
        .map(|character| match character {
            'a'..='z' | 'A'..='Z' | ' ' => 1,
            _ if character.is_ascii() => 2,
            _ => 3 * character.len_utf8(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_scripts_weigh_every_byte_as_a_token() {
        assert_eq!(weight("push"), 4);
        assert_eq!(weight("@1,2"), 8);
        assert_eq!(weight("你"), 9);
        assert_eq!(weight("👍"), 12);
    }
}
