//! Charts as SVG, each with a table of the same values for those who do not see it.
//!
//! Colours come from the sheet of styles; sizes are attributes, because pages may carry no styles of their own.

use maud::{Markup, html};

const WIDTH: u32 = 560;
const HEIGHT: u32 = 220;
/// Room for the numbers at the left, and for the days below.
const LEFT: u32 = 52;
const BELOW: u32 = 26;
const ABOVE: u32 = 12;
/// The height of a line with its bar in a chart of lines, and of one with several, each as high as its value is written.
const LINE: u32 = 46;
const VALUE: u32 = 14;

/// A value with its name.
#[derive(Debug, Clone)]
pub(crate) struct Bar {
    pub(crate) name: String,
    /// One value, or several that are drawn side by side.
    pub(crate) values: Vec<u64>,
}

/// What a chart is about.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    /// Its name in the page.
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    /// What it shows, in a sentence.
    pub(crate) words: &'static str,
    /// What the names are.
    pub(crate) of: &'static str,
    /// What the values are, in the order of [`Bar::values`].
    pub(crate) series: &'static [&'static str],
    /// How a value is written.
    pub(crate) write: fn(u64) -> String,
}

/// Returns bars that stand side by side, such as those of days.
pub(crate) fn standing(about: &About, bars: &[Bar]) -> Markup {
    let top = round_up(bars.iter().flat_map(|bar| bar.values.iter().copied()).max().unwrap_or(0));
    let drawing = html! {
        @for step in 0..=2_u32 { (rule(about, top, step)) }
        @for (place, bar) in bars.iter().enumerate() { (standing_bar(about, bar, place, bars.len(), top)) }
    };
    figure(about, bars, HEIGHT, drawing)
}

/// Returns a line across, with its value at the left.
fn rule(about: &About, top: u64, step: u32) -> Markup {
    let y = HEIGHT - BELOW - (HEIGHT - BELOW - ABOVE) * step / 2;
    html! {
        line.rule x1=(LEFT) x2=(WIDTH) y1=(y) y2=(y) {}
        text.scale x=(LEFT - 8) y=(y + 4) text-anchor="end" { ((about.write)(top * u64::from(step) / 2)) }
    }
}

fn standing_bar(about: &About, bar: &Bar, place: usize, count: usize, top: u64) -> Markup {
    let room = f64::from(WIDTH - LEFT) / count.max(1) as f64;
    let x = f64::from(LEFT) + room * place as f64;
    let value = bar.values.first().copied().unwrap_or(0);
    let height = share(value, top) * f64::from(HEIGHT - BELOW - ABOVE);
    let (width, middle) = ((room * 0.68).min(46.0), x + room / 2.0);
    // So many names as have room, the last one always.
    let is_named = (count - 1 - place).is_multiple_of(count.div_ceil(7));
    html! {
        rect.bar x=(one(middle - width / 2.0)) y=(one(f64::from(HEIGHT - BELOW) - height)) width=(one(width)) height=(one(height)) rx="2" {
            title { (bar.name) ": " ((about.write)(value)) }
        }
        @if is_named { text.name x=(one(middle)) y=(HEIGHT - 8) text-anchor="middle" { (bar.name) } }
    }
}

/// Returns bars that lie below each other, such as those of stages.
pub(crate) fn lying(about: &About, bars: &[Bar]) -> Markup {
    let top = bars.iter().flat_map(|bar| bar.values.iter().copied()).max().unwrap_or(0);
    let lines = u32::try_from(bars.len()).unwrap_or(u32::MAX);
    let several = u32::try_from(about.series.len().saturating_sub(1)).unwrap_or(0);
    let height = LINE + several * VALUE;
    let drawing = html! { @for (bar, line) in bars.iter().zip(0_u32..) { (lying_bar(about, bar, line * height, top)) } };
    figure(about, bars, lines.saturating_mul(height).max(height), drawing)
}

fn lying_bar(about: &About, bar: &Bar, y: u32, top: u64) -> Markup {
    // The longest bar leaves room for its value.
    const LONGEST: f64 = (WIDTH - 84) as f64;
    let thickness = if bar.values.len() > 1 { VALUE - 3 } else { VALUE };
    html! {
        text.name x="0" y=(y + 13) { (bar.name) }
        @for (value, place) in bar.values.iter().zip(0_u32..) {
            @let width = (share(*value, top) * LONGEST).max(2.0);
            @let y = y + 19 + place * VALUE;
            rect class=(if place == 0 { "bar" } else { "bar pale" }) x="0" y=(y) width=(one(width)) height=(thickness) rx="2" {
                title { (bar.name) ", " (about.series[place as usize]) ": " ((about.write)(*value)) }
            }
            text.value x=(one(width + 8.0)) y=(y + thickness - 1) { ((about.write)(*value)) }
        }
    }
}

/// Puts a drawing into a figure with its title, its legend and its table.
fn figure(about: &About, bars: &[Bar], height: u32, drawing: Markup) -> Markup {
    let (title, words) = (format!("{}-title", about.id), format!("{}-words", about.id));
    html! {
        figure.chart id=(about.id) {
            figcaption { h2 { (about.title) } p.quiet { (about.words) } (legend(about)) }
            @if bars.is_empty() { p.quiet { "Nothing happened in this period." } } @else {
                div.plot tabindex="0" role="region" aria-label=(about.title) {
                    svg viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-labelledby={ (title) " " (words) } {
                        title id=(title) { (about.title) }
                        desc id=(words) { (about.words) " The values are in the table below." }
                        (drawing)
                    }
                }
                (table(about, bars))
            }
        }
    }
}

fn legend(about: &About) -> Markup {
    html! {
        @if about.series.len() > 1 {
            ul.legend { @for (place, name) in about.series.iter().enumerate() { li.pale[place > 0] { (name) } } }
        }
    }
}

fn table(about: &About, bars: &[Bar]) -> Markup {
    html! {
        details {
            summary { "Values" }
            div.scroll tabindex="0" {
                table {
                    caption.sr-only { (about.title) }
                    thead { tr { th scope="col" { (about.of) } @for name in about.series { th.num scope="col" { (name) } } } }
                    tbody {
                        @for bar in bars {
                            tr { th scope="row" { (bar.name) } @for value in &bar.values { td.num { ((about.write)(*value)) } } }
                        }
                    }
                }
            }
        }
    }
}

/// Returns how much of the whole a value is.
fn share(value: u64, top: u64) -> f64 {
    if top == 0 { 0.0 } else { value as f64 / top as f64 }
}

/// Returns a number with one digit behind the point: more would be bytes that nobody sees.
fn one(value: f64) -> String {
    format!("{value:.1}")
}

/// Returns the next number whose half is as easy to read as itself.
fn round_up(value: u64) -> u64 {
    let mut unit: u64 = 1;
    while unit.saturating_mul(10) <= value {
        unit = unit.saturating_mul(10);
    }
    [1, 2, 4, 6, 8, 10]
        .into_iter()
        .map(|step| unit.saturating_mul(step))
        .find(|top| *top >= value)
        .unwrap_or(value)
        .max(2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_ends_at_a_number_that_is_easy_to_read() {
        for (value, expected) in
            [(0, 2), (1, 2), (2, 2), (3, 4), (7, 8), (9, 10), (11, 20), (73, 80), (100, 100), (101, 200)]
        {
            assert_eq!(round_up(value), expected, "{value}");
        }
    }

    #[test]
    fn a_chart_has_a_name_and_its_values_as_a_table() {
        let about = About {
            id: "a",
            title: "Merged",
            words: "By day.",
            of: "Day",
            series: &["issues"],
            write: |value| value.to_string(),
        };
        let bars =
            [Bar { name: "<1>".to_owned(), values: vec![3] }, Bar { name: "2".to_owned(), values: vec![0] }];
        let drawn = standing(&about, &bars).into_string();
        for expected in [
            "aria-labelledby=\"a-title a-words\"",
            "<td class=\"num\">3</td>",
            "&lt;1&gt;: 3",
            "height=\"136.5\"",
        ] {
            assert!(drawn.contains(expected), "{expected} is not in {drawn}");
        }
        assert!(!drawn.contains("<1>"), "{drawn}");
    }
}
