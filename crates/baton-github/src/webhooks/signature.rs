//! Whether a payload comes from whoever knows the secret.

use ring::hmac;

use crate::Secret;

/// Returns whether `signature`, which is the header `X-Hub-Signature-256`, was made over the payload with the secret. The time
/// that this takes says nothing about how much of a forged signature is right.
pub fn is_signed(secret: &Secret, payload: &[u8], signature: &str) -> bool {
    let secret = secret.reveal().as_bytes();
    let Some(digits) = signature.strip_prefix("sha256=") else { return false };
    let Some(tag) = bytes_of(digits) else { return false };
    // Everybody knows the empty secret.
    !secret.is_empty() && hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, secret), payload, &tag).is_ok()
}

fn bytes_of(digits: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = digits.as_bytes().as_chunks::<2>();
    let mut bytes = [0; 32];
    if pairs.len() != bytes.len() || !rest.is_empty() {
        return None;
    }
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        *byte = (digit(*high)? << 4) | digit(*low)?;
    }
    Some(bytes)
}

fn digit(symbol: u8) -> Option<u8> {
    char::from(symbol).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// GitHub's own example of a signature.
    const SECRET: &str = "It's a Secret to Everybody";
    const PAYLOAD: &[u8] = b"Hello, World!";
    const SIGNATURE: &str = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    #[test]
    fn a_signature_is_taken_from_whoever_knows_the_secret() {
        assert!(is_signed(&Secret::new(SECRET), PAYLOAD, SIGNATURE));
        assert!(is_signed(&Secret::new(SECRET), PAYLOAD, &SIGNATURE.replace("ea0eb", "EA0EB")));
    }

    #[test]
    fn anything_else_is_refused() {
        assert!(!is_signed(&Secret::new("another"), PAYLOAD, SIGNATURE));
        assert!(!is_signed(&Secret::new(SECRET), b"Hello, World?", SIGNATURE));
        let with_nothing = "sha256=2bbcfa9524f3218c7a34b30e6936f8b1a4516cb097f1a85a1c7d98b5977ec769";
        assert!(!is_signed(&Secret::new(""), PAYLOAD, with_nothing));
        for forged in [
            "",
            "sha256=",
            "sha1=757107ea0eb2509fc211221cce984b8a37570b6d",
            "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e18",
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e1",
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e170",
            "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e1é",
            "sha256=zz7107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
        ] {
            assert!(!is_signed(&Secret::new(SECRET), PAYLOAD, forged), "{forged}");
        }
    }
}
