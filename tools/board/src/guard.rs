//! Who may speak to the server: those who know the token of the address and come from its own page.
//!
//! Any page in the browser can send requests to 127.0.0.1. The token, which only the address has,
//! keeps them out. `Host` must be this server: a name that an attacker points to 127.0.0.1 is none
//! (DNS rebinding). `Origin` must be this server where a browser sends it, so no other page opens a
//! WebSocket here.

use axum::http::header::{HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, StatusCode};

/// Bytes of the token.
const TOKEN_BYTES: usize = 16;
/// The names of this machine in an address.
const NAMES: [&str; 2] = ["127.0.0.1", "localhost"];

/// Knows whom to let in.
#[derive(Debug)]
pub struct Guard {
    token: String,
    /// The values of `Host` that mean this server.
    hosts: [String; NAMES.len()],
}

/// The system gives no random bytes.
#[derive(Debug, thiserror::Error)]
#[error("cannot make a random token: {0}")]
pub struct TokenError(#[from] getrandom::Error);

impl Guard {
    /// A guard of the server on `port`, with a new token.
    ///
    /// # Errors
    /// [`TokenError`], without which there is no token.
    pub fn new(port: u16) -> Result<Self, TokenError> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes)?;
        let token = bytes.map(|byte| format!("{byte:02x}")).concat();
        Ok(Self { token, hosts: NAMES.map(|name| format!("{name}:{port}")) })
    }

    /// The address of the pages.
    pub fn address(&self) -> String {
        format!("http://{}/{}/", self.hosts[0], self.token)
    }

    /// What a page may load from: this server, and its socket.
    pub fn policy(&self) -> String {
        let sockets = self.hosts.each_ref().map(|host| format!("ws://{host}")).join(" ");
        format!(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
             connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        )
    }

    /// The rest of the path after the token.
    ///
    /// # Errors
    /// The status that answers a stranger.
    pub fn admit<'a>(&self, path: &'a str, headers: &HeaderMap) -> Result<&'a str, StatusCode> {
        if self.only(headers, HOST, "").is_none_or(|is_own| !is_own) {
            return Err(StatusCode::MISDIRECTED_REQUEST);
        }
        if self.only(headers, ORIGIN, "http://") == Some(false) {
            return Err(StatusCode::FORBIDDEN);
        }
        let rest = path.strip_prefix('/').unwrap_or_default();
        let (token, rest) = rest.split_once('/').ok_or(StatusCode::NOT_FOUND)?;
        if is_equal(token, &self.token) { Ok(rest) } else { Err(StatusCode::NOT_FOUND) }
    }

    /// Whether the only header of that name is this server after `scheme`; `None` without one.
    fn only(&self, headers: &HeaderMap, name: HeaderName, scheme: &str) -> Option<bool> {
        let mut values = headers.get_all(name).iter();
        let first = values.next()?;
        let host = first.to_str().ok().and_then(|value| value.strip_prefix(scheme));
        Some(values.next().is_none() && host.is_some_and(|host| self.is_host(host)))
    }

    fn is_host(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known == host)
    }
}

/// Compares in a time that tells nothing of where two texts differ.
fn is_equal(one: &str, other: &str) -> bool {
    let differences = one.bytes().zip(other.bytes()).fold(0, |bits, (a, b)| bits | (a ^ b));
    one.len() == other.len() && differences == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(rows: &[(HeaderName, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in rows {
            headers.append(name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn only_the_own_page_is_let_in() {
        let guard = Guard::new(80).unwrap();
        let (own, path) = ((HOST, "127.0.0.1:80"), format!("/{}/socket", guard.token));
        let admit = |path: &str, rows: &[_]| guard.admit(path, &headers(rows)).map(str::to_owned);
        let origin = |value| (ORIGIN, value);
        for rows in [
            &[own.clone()][..],
            &[(HOST, "localhost:80")],
            &[own.clone(), origin("http://127.0.0.1:80")],
        ] {
            assert_eq!(admit(&path, rows), Ok("socket".to_owned()), "{rows:?}");
        }
        for (rows, status) in [
            (vec![], StatusCode::MISDIRECTED_REQUEST),
            (vec![(HOST, "evil.example:80")], StatusCode::MISDIRECTED_REQUEST),
            (vec![(HOST, "127.0.0.1")], StatusCode::MISDIRECTED_REQUEST),
            (vec![own.clone(), own.clone()], StatusCode::MISDIRECTED_REQUEST),
            (vec![own.clone(), origin("http://evil.example")], StatusCode::FORBIDDEN),
            (vec![own.clone(), origin("https://127.0.0.1:80")], StatusCode::FORBIDDEN),
            (vec![own.clone(), origin("null")], StatusCode::FORBIDDEN),
        ] {
            assert_eq!(admit(&path, &rows), Err(status), "{rows:?}");
        }
        for path in ["/", "/socket", "//socket", "/0123456789abcdef0123456789abcdef/socket"] {
            assert_eq!(
                admit(path, std::slice::from_ref(&own)),
                Err(StatusCode::NOT_FOUND),
                "{path}"
            );
        }
    }

    #[test]
    fn two_servers_have_two_tokens() {
        let address = || Guard::new(80).unwrap().address();
        assert_ne!(address(), address());
        assert_eq!(address().len(), "http://127.0.0.1:80//".len() + 2 * TOKEN_BYTES);
    }
}
