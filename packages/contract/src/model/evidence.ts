import type { Answer, Exchange, Recording, SecretFacts } from './exchange.ts'

/** What a check looks at was not recorded. */
export class MissingExchange extends Error {}

/** An exchange that was answered. */
export interface Answered extends Exchange {
  readonly answer: Answer
}

const BY_LABEL = new WeakMap<Recording, ReadonlyMap<string, Exchange>>()

/** Hundreds of checks look at one recording: its labels are put in order once. */
function labelled(recording: Recording): ReadonlyMap<string, Exchange> {
  const known = BY_LABEL.get(recording)
  if (known !== undefined) return known
  const made = new Map(recording.exchanges.map((exchange) => [exchange.label, exchange]))
  BY_LABEL.set(recording, made)
  return made
}

/** The recording as a check sees it; remembers what was looked at. */
export class Evidence {
  readonly #recording: Recording
  readonly #byLabel: ReadonlyMap<string, Exchange>
  readonly #used = new Set<string>()

  constructor(recording: Recording) {
    this.#recording = recording
    this.#byLabel = labelled(recording)
  }

  /** Labels that were looked at. */
  get used(): readonly string[] {
    return [...this.#used]
  }

  get target(): string {
    return this.#recording.target
  }

  /** @throws MissingExchange */
  of(label: string): Answered {
    const exchange = this.#byLabel.get(label)
    if (exchange === undefined) throw new MissingExchange(this.#reason(label))
    this.#used.add(label)
    const { answer } = exchange
    if (answer === undefined) throw new MissingExchange(exchange.fault ?? 'no answer')
    return { ...exchange, answer }
  }

  has(label: string): boolean {
    return this.#byLabel.has(label)
  }

  /** Every answered exchange whose label begins so. @throws MissingExchange when there is none */
  all(prefix: string): readonly Answered[] {
    const found = this.#recording.exchanges.filter(({ label }) => label.startsWith(prefix))
    if (found.length === 0) throw new MissingExchange(this.#reason(prefix))
    return found.map(({ label }) => this.of(label))
  }

  /** Everything that the server answered, without counting as looked at. */
  everything(): readonly Answered[] {
    return this.#recording.exchanges.flatMap((exchange) =>
      exchange.answer === undefined || exchange.by !== undefined
        ? []
        : [{ ...exchange, answer: exchange.answer }],
    )
  }

  /** What was answered, if anything was; not counted as looked at. */
  find(label: string): Answered | undefined {
    const exchange = this.#byLabel.get(label)
    return exchange?.answer === undefined ? undefined : { ...exchange, answer: exchange.answer }
  }

  /** Counts an exchange of `everything` as looked at. */
  use(label: string): void {
    this.#used.add(label)
  }

  /** @throws MissingExchange */
  note(name: string): string {
    const value = this.#recording.notes[name]
    if (value === undefined) throw new MissingExchange(`nothing was noted as ${name}`)
    return value
  }

  /** What was seen of a secret. @param name - as it stands in the exchanges, such as `<access_token 1>` */
  facts(name: string): SecretFacts | undefined {
    return this.#recording.secrets[name]
  }

  #reason(label: string): string {
    const scenario = label.split('.', 1)[0] ?? ''
    const stopped = Object.entries(this.#recording.stopped).find(([name]) =>
      name.startsWith(scenario),
    )
    return stopped === undefined
      ? `${label} was not asked`
      : `${label} was not asked: ${stopped[0]} stopped with "${stopped[1].split('\n', 1)[0] ?? ''}"`
  }
}
