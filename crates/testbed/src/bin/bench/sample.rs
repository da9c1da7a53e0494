//! Repeated measurements of one thing.

/// The middle of several measurements, and how far they lie apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    pub(crate) median: f64,
    pub(crate) least: f64,
    pub(crate) most: f64,
    pub(crate) count: usize,
}

impl Sample {
    /// `None` of no measurements.
    pub(crate) fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let middle = values.len() / 2;
        let is_even = values.len().is_multiple_of(2);
        let median = if is_even { f64::midpoint(values[middle - 1], values[middle]) } else { values[middle] };
        Some(Self { median, least, most, count: values.len() })
    }

    /// Something that was counted or measured once.
    pub(crate) const fn single(value: f64) -> Self {
        Self { median: value, least: value, most: value, count: 1 }
    }

    /// Takes `count` measurements after `warm_up` that do not count.
    pub(crate) fn take<E>(
        warm_up: usize,
        count: usize,
        mut measure: impl FnMut() -> Result<f64, E>,
    ) -> Result<Self, E> {
        for _ in 0..warm_up {
            measure()?;
        }
        let values = (0..count.max(1)).map(|_| measure()).collect::<Result<Vec<_>, E>>()?;
        Ok(Self::of(values).expect("at least one measurement was taken"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_in_the_middle() {
        let of = |values: &[f64]| Sample::of(values.to_vec()).map(|sample| (sample.median, sample.least, sample.most));
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[3.0, 1.0, 2.0]), Some((2.0, 1.0, 3.0)));
        assert_eq!(of(&[4.0, 1.0, 3.0, 2.0]), Some((2.5, 1.0, 4.0)));
    }
}
