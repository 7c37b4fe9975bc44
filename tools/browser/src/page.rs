//! A page in headless Chromium, driven through the DevTools protocol: it is clicked, typed to and
//! asked as by a reader, and its script errors are kept.

use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use super::{PROBE, program};

/// Resolves when the page has drawn itself for a new size: observers of sizes run between frames.
const SETTLED: &str = "new Promise((done) => requestAnimationFrame(() => \
    requestAnimationFrame(() => setTimeout(done, 250))))";

/// How long a condition may take to come true.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long the browser may take to answer.
const ANSWER: Duration = Duration::from_secs(90);
/// The browser's door, in the line that it writes when it has started.
const DOOR: &str = "DevTools listening on ";
/// Height of the window in CSS pixels.
const HEIGHT: u32 = 900;

/// A page in a browser of its own.
pub struct Page {
    socket: WebSocket<TcpStream>,
    browser: Child,
    session: Value,
    last: u64,
    faults: Vec<String>,
    scheme: &'static str,
    /// The browser's profile.
    _folder: TempDir,
}

impl Drop for Page {
    fn drop(&mut self) {
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

impl Page {
    /// Opens the page at `address`, 1280 pixels wide and light; `None`, with a printed line, if no
    /// browser is installed.
    ///
    /// # Panics
    /// If the browser fails or the page does not load.
    pub fn open(address: &str) -> Option<Self> {
        let program = program()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let profile = folder.path().join("profile");
        let mut browser = Command::new(program)
            // Without its sandbox it runs as root, too; the pages are our own.
            .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"])
            .args(["--remote-debugging-port=0", "about:blank"])
            .arg(format!("--user-data-dir={}", profile.display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it has just run");
        let door = door(browser.stderr.take().expect("it is piped"));
        let host = door.split('/').nth(2).expect("an address has a host");
        let stream = TcpStream::connect(host).expect("the browser listens");
        stream.set_read_timeout(Some(ANSWER)).expect("a time that is not zero");
        let (socket, _) =
            tungstenite::client(&door, stream).expect("the browser speaks its protocol");
        let (faults, session) = (Vec::new(), Value::Null);
        let scheme = "light";
        let mut page = Self { socket, browser, session, last: 0, faults, scheme, _folder: folder };
        let target = page.call("Target.createTarget", &json!({ "url": "about:blank" }));
        let target = json!({ "targetId": target["targetId"], "flatten": true });
        page.session = page.call("Target.attachToTarget", &target)["sessionId"].clone();
        for domain in ["Page", "Runtime", "Log"] {
            page.call(&format!("{domain}.enable"), &json!({}));
        }
        page.call("Page.addScriptToEvaluateOnNewDocument", &json!({ "source": PROBE }));
        page.view(1280, "light");
        page.go(address);
        Some(page)
    }

    /// Loads another address.
    ///
    /// # Panics
    /// If the browser fails.
    pub fn go(&mut self, address: &str) {
        self.call("Page.navigate", &json!({ "url": address }));
        self.wait_for("document.readyState === 'complete'");
    }

    /// Sends a command and waits for its result; what happens meanwhile is noted.
    fn call(&mut self, method: &str, params: &Value) -> Value {
        self.last += 1;
        let mut message = json!({ "id": self.last, "method": method, "params": params });
        if !self.session.is_null() {
            message["sessionId"] = self.session.clone();
        }
        self.socket.send(Message::text(message.to_string())).expect("the browser listens");
        loop {
            let message = self.socket.read().expect("the browser answers");
            let Message::Text(text) = message else { continue };
            let reply: Value = serde_json::from_str(&text).expect("the browser speaks JSON");
            if reply["id"] == self.last {
                assert!(reply["error"].is_null(), "{method}: {}", reply["error"]);
                return reply["result"].clone();
            }
            self.note(&reply);
        }
    }

    /// Keeps script errors and what the page's policy forbids.
    fn note(&mut self, event: &Value) {
        let params = &event["params"];
        let fault = match event["method"].as_str() {
            Some("Runtime.exceptionThrown") => {
                &params["exceptionDetails"]["exception"]["description"]
            }
            Some("Log.entryAdded") if params["entry"]["level"] == "error" => {
                &params["entry"]["text"]
            }
            _ => return,
        };
        self.faults.push(fault.to_string());
    }

    /// Changes the width in CSS pixels and the color scheme.
    pub fn view(&mut self, width: u32, scheme: &'static str) {
        self.scheme = scheme;
        self.resize(width, HEIGHT);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        self.call("Emulation.setEmulatedMedia", &json!({ "features": [feature] }));
        self.evaluate(SETTLED);
    }

    /// Changes width and height in CSS pixels.
    pub fn resize(&mut self, width: u32, height: u32) {
        let size = json!({
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false,
        });
        self.call("Emulation.setDeviceMetricsOverride", &size);
    }

    /// The value of an expression, after its promise.
    ///
    /// # Panics
    /// If it throws.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let params =
            json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let result = self.call("Runtime.evaluate", &params);
        assert!(result["exceptionDetails"].is_null(), "{expression}: {result}");
        result["result"]["value"].clone()
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If that takes too long.
    pub fn wait_for(&mut self, expression: &str) {
        let patience = PATIENCE.as_millis();
        let is_true = self.evaluate(&format!(
            "new Promise((resolve, reject) => {{ \
             const start = Date.now(); \
             const look = () => {{ \
             try {{ if ({expression}) return resolve(true); }} catch (error) {{ reject(error); }} \
             if (Date.now() - start > {patience}) return resolve(false); \
             setTimeout(look, 20); }}; look(); }})"
        ));
        if is_true != Value::Bool(true) {
            let text = self.evaluate("document.body.innerText");
            panic!("not true in time: {expression}; {:?}; {text}", self.faults);
        }
    }

    /// The middle of the first element of a selector, scrolled into view.
    fn middle(&mut self, selector: &str) -> [f64; 2] {
        let selector = Value::from(selector);
        let middle = self.evaluate(&format!(
            "(async () => {{ const element = document.querySelector({selector}); \
             element.scrollIntoView({{ block: 'nearest' }}); \
             await new Promise((done) => requestAnimationFrame(() => setTimeout(done))); \
             const box = element.getBoundingClientRect(); \
             return [box.x + box.width / 2, box.y + box.height / 2]; }})()"
        ));
        [0, 1].map(|at| middle[at].as_f64().expect("a number"))
    }

    fn mouse(&mut self, kind: &str, [x, y]: [f64; 2]) {
        let params = json!({
            "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1,
        });
        self.call("Input.dispatchMouseEvent", &params);
    }

    /// Clicks the first element of a selector.
    pub fn click(&mut self, selector: &str) {
        let place = self.middle(selector);
        self.mouse("mousePressed", place);
        self.mouse("mouseReleased", place);
    }

    /// Drags the mouse between two points of an element, in fractions of its width and height.
    pub fn drag(&mut self, selector: &str, from: [f64; 2], to: [f64; 2]) {
        let [x, y] = self.middle(selector);
        let selector = Value::from(selector);
        let size = self.evaluate(&format!(
            "(() => {{ const box = document.querySelector({selector}).getBoundingClientRect(); \
             return [box.width, box.height]; }})()"
        ));
        let [width, height] = [0, 1].map(|at| size[at].as_f64().expect("a number"));
        let place = |[a, b]: [f64; 2]| [x + (a - 0.5) * width, y + (b - 0.5) * height];
        self.mouse("mousePressed", place(from));
        let half = [f64::midpoint(from[0], to[0]), f64::midpoint(from[1], to[1])];
        self.mouse("mouseMoved", place(half));
        self.mouse("mouseMoved", place(to));
        self.mouse("mouseReleased", place(to));
    }

    /// Types a text where the focus is.
    pub fn type_text(&mut self, text: &str) {
        self.call("Input.insertText", &json!({ "text": text }));
    }

    /// Presses a key by its name, such as `ArrowLeft`, `Enter` or `f`.
    pub fn key(&mut self, key: &str) {
        let text = match key {
            "Enter" => "\r",
            key if key.chars().count() == 1 => key,
            _ => "",
        };
        let code = if key == "Enter" { 13 } else { 0 };
        let mut down = json!({ "type": "keyDown", "key": key, "windowsVirtualKeyCode": code });
        if !text.is_empty() {
            down["text"] = text.into();
        }
        self.call("Input.dispatchKeyEvent", &down);
        self.call("Input.dispatchKeyEvent", &json!({ "type": "keyUp", "key": key }));
    }

    /// What is wrong with the page as it is shown now, and whatever went wrong since the last look.
    pub fn take_faults(&mut self) -> Vec<String> {
        let seen = self.evaluate(&format!("heddleProbe({:?})", self.scheme));
        let seen = seen.as_array().expect("a list").iter().skip(1);
        let mut faults: Vec<_> = seen.map(ToString::to_string).collect();
        faults.append(&mut self.faults);
        faults
    }

    /// The page as PNG.
    ///
    /// # Panics
    /// If the file cannot be written.
    pub fn screenshot(&mut self, file: &Path) {
        let picture = self.call("Page.captureScreenshot", &json!({ "format": "png" }));
        let data = picture["data"].as_str().expect("a picture");
        fs::write(file, decoded(data)).expect("the picture can be written");
    }
}

/// The address at which the browser listens, which it writes to its standard error.
fn door(said: ChildStderr) -> String {
    let lines = BufReader::new(said).lines().map_while(Result::ok);
    let door = lines.filter_map(|line| line.strip_prefix(DOOR).map(str::to_owned)).next();
    door.expect("the browser says where it listens")
}

/// The bytes of a text in base64.
fn decoded(text: &str) -> Vec<u8> {
    let value = |c: u8| match c {
        b'A'..=b'Z' => c - b'A',
        b'a'..=b'z' => c - b'a' + 26,
        b'0'..=b'9' => c - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|&c| c != b'=').collect();
    let group = |digits: &[u8]| {
        let bits = digits.iter().fold(0_u32, |bits, &c| bits << 6 | u32::from(value(c)));
        let bits = bits << (6 * (4 - digits.len()));
        bits.to_be_bytes()[1..digits.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded() {
        for (text, bytes) in [("SGVk", "Hed"), ("SGVkZA==", "Hedd"), ("SGVkZGw=", "Heddl")] {
            assert_eq!(decoded(text), bytes.as_bytes());
        }
    }
}
