import { randomUUID } from 'node:crypto'
import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'

/** Something that a run makes at the server. */
export interface Made {
  readonly id: string
  readonly kind: 'client' | 'session' | 'notification' | 'instance' | 'account type'
  /** How it is recognised at the server, known before it is made. */
  readonly name: string
}

/** How it is removed: known once it is made. */
export type Removal = RemovalRequest | RemovalCommand

/** A request to the server. */
export interface RemovalRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** A program of the operator and its arguments. */
export interface RemovalCommand {
  readonly command: readonly string[]
}

interface JournalHead {
  readonly run: string
  readonly target: string
}

type Line =
  | { readonly begun: JournalHead }
  | { readonly making: Made }
  | { readonly made: string; readonly removal: Removal }
  | { readonly gone: string }

/** What is left of a run: what to remove, and what was perhaps made without anybody knowing how to remove it. */
export interface Leftovers {
  readonly run: string
  readonly target: string
  readonly removable: readonly (Made & { readonly removal: Removal })[]
  readonly unknown: readonly Made[]
}

/** Everything that a run makes, written down before it is made; readable by its owner alone, since it holds tokens. */
export class Journal {
  readonly file: string | undefined
  readonly #lines: Line[] = []

  /** @param file - in memory alone when absent */
  constructor(head: JournalHead, file?: string) {
    this.file = file
    if (file !== undefined) writeFileSync(file, '', { mode: 0o600, flag: 'wx' })
    this.#add({ begun: head })
  }

  /** Says that something is about to be made. */
  making(kind: Made['kind'], name: string): Made {
    const made: Made = { id: randomUUID(), kind, name }
    this.#add({ making: made })
    return made
  }

  made({ id }: Made, removal: Removal): void {
    this.#add({ made: id, removal })
  }

  gone(id: string): void {
    this.#add({ gone: id })
  }

  get leftovers(): Leftovers {
    return leftoversOf(this.#lines)
  }

  /** Forgets the file: nothing is left. */
  close(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true })
  }

  #add(line: Line): void {
    this.#lines.push(line)
    if (this.file !== undefined) appendFileSync(this.file, `${JSON.stringify(line)}\n`)
  }
}

/** Reads the journal of an earlier run. @throws Error when it is none */
export function readJournal(file: string): Leftovers {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}')) // a line that was cut says nothing
    .map((line) => JSON.parse(line) as Line) // written by `Journal`
  return leftoversOf(lines)
}

/** Last made, first removed. */
function leftoversOf(lines: readonly Line[]): Leftovers {
  const begun = lines.find((line) => 'begun' in line)
  if (begun === undefined) throw new Error('this is no journal of a run')
  const gone = new Set(lines.flatMap((line) => ('gone' in line ? [line.gone] : [])))
  const removals = new Map(
    lines.flatMap((line) => ('made' in line ? [[line.made, line.removal] as const] : [])),
  )
  const left = lines
    .flatMap((line) => ('making' in line ? [line.making] : []))
    .filter(({ id }) => !gone.has(id))
    .toReversed()
  return {
    ...begun.begun,
    removable: left.flatMap((made) => {
      const removal = removals.get(made.id)
      return removal === undefined ? [] : [{ ...made, removal }]
    }),
    unknown: left.filter(({ id }) => !removals.has(id)),
  }
}
