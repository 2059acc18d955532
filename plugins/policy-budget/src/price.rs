//! What a turn has cost: what the loop says, or else its tokens at the row's prices.
use crate::Config;
use plugin_sdk::{Usage, contracts::turn_policy::Totals};

const MILLION: f64 = 1e6;

/// US dollars per token. What a cache has to do with costs what other input does, unless the row says otherwise.
#[derive(Debug)]
struct Price {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

/// What is known of prices.
#[derive(Debug)]
pub(crate) struct Prices(Option<Price>);

impl Prices {
    /// Those of a row: both of input and output, or none.
    pub(crate) fn of(config: &Config) -> Self {
        let both = config.input_usd_per_million.zip(config.output_usd_per_million);
        Prices(both.map(|(input, output)| Price {
            input: input / MILLION,
            output: output / MILLION,
            cache_read: config.cache_read_usd_per_million.unwrap_or(input) / MILLION,
            cache_write: config.cache_write_usd_per_million.unwrap_or(input) / MILLION,
        }))
    }

    /// In US dollars; `None` when nobody knows.
    pub(crate) fn cost(&self, totals: &Totals) -> Option<f64> {
        totals.cost.or_else(|| self.0.as_ref().map(|price| price.of(&totals.usage)))
    }

    /// Whether the cost is made out of tokens, and so as wrong as they are.
    pub(crate) fn is_made_of_tokens(&self, totals: &Totals) -> bool {
        totals.cost.is_none()
    }
}

impl Price {
    fn of(&self, usage: &Usage) -> f64 {
        let amount = |tokens: u64, price: f64| tokens as f64 * price;
        amount(usage.input_tokens, self.input)
            + amount(usage.output_tokens, self.output)
            + amount(usage.cache_read_tokens.unwrap_or(0), self.cache_read)
            + amount(usage.cache_write_tokens.unwrap_or(0), self.cache_write)
    }
}
