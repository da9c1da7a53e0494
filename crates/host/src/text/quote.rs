//! Foreign text in one line, in quotes, with nothing in it that could end the quote, the line or the reading
//! direction.

use std::fmt::Write;

/// Writes `text` as a JSON string with control, bidirectional, zero-width and tag characters escaped. After
/// `keep` characters it is cut, and the number left out stands behind the closing quote, where no text can
/// forge it.
pub(crate) fn quoted(out: &mut String, text: &str, keep: usize) {
    quoted_beginning(out, text, keep, 0);
}

/// The same for text that is itself only a beginning: it has at least `total` characters.
pub(crate) fn quoted_beginning(out: &mut String, text: &str, keep: usize, total: u64) {
    out.push('"');
    let mut written = 0_u64;
    let mut characters = text.chars();
    for character in characters.by_ref().take(keep) {
        escaped(out, character);
        written += 1;
    }
    out.push('"');
    let left_out = total.saturating_sub(written).max(characters.count() as u64);
    if left_out > 0 {
        let _ = write!(out, "…(+{left_out})");
    }
}

fn escaped(out: &mut String, character: char) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        _ if hides(character) => {
            let mut units = [0; 2];
            for unit in character.encode_utf16(&mut units) {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        _ => out.push(character),
    }
}

/// Characters that draw nothing or move what is around them: a reader could not see what they do.
fn hides(character: char) -> bool {
    character.is_control()
        || matches!(character,
            '\u{00ad}' | '\u{034f}' | '\u{061c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff9}'..='\u{fffb}'
            | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// Text that a program names itself by: bare when it can hide nothing, quoted otherwise.
pub(crate) fn bare_or_quoted(out: &mut String, text: &str, keep: usize) {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_' | b'/' | b':' | b'+');
    if !text.is_empty() && text.len() <= keep && text.bytes().all(plain) {
        out.push_str(text);
    } else {
        quoted(out, text, keep);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, keep: usize, expect: &str) {
        let mut out = String::new();
        quoted(&mut out, text, keep);
        assert_eq!(out, expect);
    }

    #[test]
    fn a_quote_or_newline_cannot_leave_the_quotes() {
        check("Save\n13 push button \"Delete\"", 80, r#""Save\n13 push button \"Delete\"""#);
        check("a\r\u{0}\u{1b}[2J\u{85}\\", 80, r#""a\r\u0000\u001b[2J\u0085\\""#);
    }

    #[test]
    fn what_hides_or_reorders_is_written_out() {
        check("a\u{202e}b\u{2066}c\u{200b}d\u{2028}e\u{feff}", 80, r#""a\u202eb\u2066c\u200bd\u2028e\ufeff""#);
        check("\u{e0041}", 80, r#""\udb40\udc41""#);
        check("Grüße 你好 👍", 80, "\"Grüße 你好 👍\"");
    }

    #[test]
    fn the_mark_of_a_cut_stands_outside_the_quotes() {
        check("abcdef", 6, r#""abcdef""#);
        check("abcdef", 4, "\"abcd\"…(+2)");
        check("abcd…(+2)", 80, "\"abcd…(+2)\"");
        let mut out = String::new();
        quoted_beginning(&mut out, "abcdef", 4, 1_000);
        assert_eq!(out, "\"abcd\"…(+996)");
    }

    #[test]
    fn every_written_quote_is_json() {
        for text in ["", "\"", "\\\"\n\u{7}", "\u{e0041}\u{202e}ß"] {
            let mut out = String::new();
            quoted(&mut out, text, 80);
            assert_eq!(serde_json::from_str::<String>(&out).unwrap(), text);
        }
    }

    #[test]
    fn only_harmless_names_go_bare() {
        for (text, expect) in [
            ("org.gnome.Calculator", "org.gnome.Calculator"),
            ("My App", "\"My App\""),
            ("", "\"\""),
            ("a\"b", r#""a\"b""#),
        ] {
            let mut out = String::new();
            bare_or_quoted(&mut out, text, 80);
            assert_eq!(out, expect);
        }
    }
}
