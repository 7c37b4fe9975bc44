//! Strangers, and those who send too much or too slowly.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use serde_json::json;
use tungstenite::Message;
use tungstenite::http::StatusCode;

use super::common::Board;

/// The status line and the rest of the answer to raw bytes.
fn raw(board: &Board, request: &str) -> String {
    let mut stream = board.connect();
    // The server may answer and close before it has read everything.
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

fn get(board: &Board, path: &str, headers: &str) -> String {
    raw(board, &format!("GET {path} HTTP/1.1\r\nConnection: close\r\n{headers}\r\n"))
}

#[test]
fn the_page_comes_with_its_policy() {
    let board = Board::new();
    let own = format!("Host: {}\r\n", board.host());
    let page = get(&board, &board.path(""), &own).to_lowercase();
    assert!(page.starts_with("http/1.1 200") && page.contains("<title>heddle</title>"), "{page}");
    for header in [
        "content-security-policy: default-src 'none'; script-src 'self'",
        "x-content-type-options: nosniff",
        "referrer-policy: no-referrer",
        "cache-control: no-store",
    ] {
        assert!(page.contains(header), "{header}: {page}");
    }
}

#[test]
fn strangers_are_refused() {
    let board = Board::new();
    let own = format!("Host: {}\r\n", board.host());
    let (page, socket) = (board.path(""), board.path("socket"));
    let port = board.host().split(':').nth(1).unwrap();
    for (path, headers, status) in [
        ("/", own.clone(), 404),
        ("/00000000000000000000000000000000/", own.clone(), 404),
        (&board.path("../../etc/passwd"), own.clone(), 404),
        (&page, String::new(), 400),
        (&page, format!("Host: evil.example:{port}\r\n"), 421),
        (&page, format!("{own}Origin: http://evil.example\r\n"), 403),
        (&socket, own.clone(), 400),
    ] {
        let answer = get(&board, path, &headers);
        let found = answer.split(' ').nth(1).unwrap_or_default();
        // A request without a host may be refused by either of two who look.
        let is_fitting = found == status.to_string() || status == 400 && !found.starts_with('2');
        assert!(is_fitting, "{path} {headers}: {answer}");
        assert!(!answer.contains("<title>"), "{answer}");
    }
    let refused = |path: &str, origin: &str| board.socket(path, origin).err();
    let own = format!("http://{}", board.host());
    assert_eq!(refused(&socket, "http://evil.example"), Some(StatusCode::FORBIDDEN));
    assert_eq!(refused(&socket, "null"), Some(StatusCode::FORBIDDEN));
    assert_eq!(refused("/socket", &own), Some(StatusCode::NOT_FOUND));
    assert_eq!(refused(&socket, &own), None);
}

#[test]
fn huge_requests_are_refused() {
    let board = Board::new();
    let own = format!("Host: {}\r\n", board.host());
    let long = format!("{own}X: {}\r\n", "x".repeat(1 << 20));
    assert!(!get(&board, &board.path(""), &long).contains("<title>"));
    let many = format!("{own}{}", "X: x\r\n".repeat(1000));
    assert!(!get(&board, &board.path(""), &many).contains("<title>"));
    let body = format!(
        "POST {} HTTP/1.1\r\n{own}Content-Length: 1000000000\r\n\r\n{}",
        board.path(""),
        "x".repeat(1 << 20)
    );
    let answer = raw(&board, &body);
    assert!(answer.is_empty() || answer.contains("405"), "{answer}");
    let mut page = board.page();
    let sent = page.socket.send(Message::text("x".repeat(8 << 20)));
    assert!(sent.is_err() || page.socket.read().is_err(), "the connection ends");
    assert_eq!(board.page().ask(json!({ "type": "position", "game": {} }))["type"], "position");
}

#[test]
fn the_slow_are_cut_off_and_keep_nobody_out() {
    let board = Board::new();
    let slow: Vec<TcpStream> = (0..200)
        .map(|_| {
            let mut stream = board.connect();
            stream.write_all(b"GET / HTTP/1.1\r\nHost: ").unwrap();
            stream
        })
        .collect();
    let start = Instant::now();
    let mut page = board.page();
    assert_eq!(page.ask(json!({ "type": "position", "game": {} }))["type"], "position");
    // 64 at a time, each for five seconds at most.
    assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
    println!("a page behind 200 slow connections waited {:?}", start.elapsed());
    drop(slow);
}

#[test]
fn pages_and_their_requests_are_bounded() {
    let board = Board::new();
    let origin = format!("http://{}", board.host());
    let open = || board.socket(&board.path("socket"), &origin);
    let mut pages: Vec<_> = (0..8).map(|_| board.page()).collect();
    assert_eq!(open().err(), Some(StatusCode::SERVICE_UNAVAILABLE));
    let page = &mut pages[0];
    let judged = page.send(json!({
        "type": "judge", "line": [{ "uci": "e2e4" }], "movetime": 300,
    }));
    for _ in 0..500 {
        page.send(json!({ "type": "step", "turns": 1 }));
    }
    let mut judgement = Vec::new();
    while judgement.last() != Some(&json!("done")) {
        let reply = page.hear();
        if reply["id"] == judged {
            judgement.push(reply["type"].clone());
        } else {
            assert_eq!(reply["code"], "busy", "{reply}");
        }
    }
    drop(pages);
    let start = Instant::now();
    while open().is_err() {
        assert!(start.elapsed() < Duration::from_secs(10), "places are given back");
    }
}

/// A page that never reads is cut off, and its search ends.
#[test]
fn a_page_that_does_not_read_holds_up_nobody() {
    let board = Board::new();
    let mut deaf = board.page();
    for _ in 0..2000 {
        let request = json!({ "type": "position", "game": {} });
        if deaf.socket.get_ref().peer_addr().is_err() {
            break;
        }
        deaf.send(request);
    }
    let mut other = board.page();
    let id = other.send(json!({ "type": "analyse", "game": {}, "size": { "take": true } }));
    assert_eq!(other.answer(id)["type"], "info");
}
