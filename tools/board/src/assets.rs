//! The files of the pages, held by the program.

/// A file: its name, its type and its content.
pub struct Asset {
    /// Its path after the token.
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    /// Its content.
    pub content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const IMAGE: &str = "image/svg+xml";

/// A file of the folder `page`, or of chessground.
macro_rules! asset {
    ($kind:ident, $name:literal, $path:literal) => {
        Asset { name: $name, kind: $kind, content: include_str!($path) }
    };
}

/// Every file.
const ASSETS: [Asset; 14] = [
    asset!(HTML, "", "../page/index.html"),
    asset!(STYLE, "style.css", "../page/style.css"),
    asset!(IMAGE, "icon.svg", "../page/icon.svg"),
    asset!(SCRIPT, "app.js", "../page/app.js"),
    asset!(SCRIPT, "socket.js", "../page/socket.js"),
    asset!(SCRIPT, "game.js", "../page/game.js"),
    asset!(SCRIPT, "board.js", "../page/board.js"),
    asset!(SCRIPT, "draw.js", "../page/draw.js"),
    asset!(SCRIPT, "play.js", "../page/play.js"),
    asset!(SCRIPT, "analyse.js", "../page/analyse.js"),
    asset!(SCRIPT, "threads.js", "../page/threads.js"),
    asset!(SCRIPT, "chessground.js", "../vendor/chessground/chessground.min.js"),
    asset!(STYLE, "chessground.css", "../vendor/chessground/chessground.base.css"),
    asset!(STYLE, "pieces.css", "../vendor/chessground/chessground.cburnett.css"),
];

/// The file of that name.
pub fn find(name: &str) -> Option<&'static Asset> {
    ASSETS.iter().find(|asset| asset.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_that_a_file_names_is_there() {
        let mut named = 0;
        for asset in &ASSETS {
            for quote in ["href=\"", "src=\"", "from \"./"] {
                for rest in asset.content.split(quote).skip(1) {
                    let name = rest.split('"').next().unwrap();
                    if name.starts_with('#') {
                        continue;
                    }
                    named += 1;
                    assert!(find(name).is_some(), "{} names {name}", asset.name);
                }
            }
        }
        assert!(named > 10, "{named}");
    }

    #[test]
    fn nothing_comes_from_elsewhere_and_no_script_stands_in_the_page() {
        let page = find("").unwrap().content;
        assert!(!page.contains("://") && !page.contains("<style") && !page.contains(" style="));
        assert!(!page.contains("<script>") && !page.contains(" onclick"), "a script in the page");
    }
}
