//! Names for what is kept, which their finder must have been told.

use data_encoding::HEXLOWER;

/// 128 random bits as 32 hex digits: nobody guesses another's. Nothing where the system has no randomness.
#[must_use]
pub fn fresh_id() -> Option<String> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).ok()?;
    Some(HEXLOWER.encode(&random))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_id_is_another() {
        let (one, other) = (fresh_id().unwrap(), fresh_id().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        assert!(u128::from_str_radix(&one, 16).is_ok());
    }
}
