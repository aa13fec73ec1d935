import site from '../.generated/site.json'

/** What answers questions stands in front of what is looked up seldom: records of decisions, rules, single exports. */
const RECORDS = /^(?:decisions|spec|contract|reference\/api|changelog|faults|benchmarks)(?:\/|$)/
const TABLES = /^(?:http-api|logs|data-model|admin-api|examples)(?:\/|$)/

/** Every line of these says what one word means. */
const WORDS = /^(?:reference\/)?(?:errors|glossary)$/

/** How much the words of a page count in the search. */
export function weightOf(id: string): number {
  if (RECORDS.test(id)) return 0.25
  if (TABLES.test(id)) return 0.5
  if (WORDS.test(id)) return 9
  return site.first.includes(id) ? 3 : 1
}
