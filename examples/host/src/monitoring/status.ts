import { describeError } from '@svc/store'

/** One line of `svc status`. */
export interface StatusLine {
  /** `warning` and `fault` are shown again among the alerts. */
  readonly state: 'ok' | 'warning' | 'fault'
  /** A sentence for the operator, without secrets and without anything of an owner. */
  readonly text: string
  /** The figures behind it, for `--json`. */
  readonly facts?: Readonly<Record<string, unknown>>
}

/** What was found out of all subjects. */
export interface Status {
  /** The worst state of a line. */
  readonly state: StatusLine['state']
  readonly lines: readonly (StatusLine & { readonly subject: string })[]
}

/** Is asked whenever an operator looks; answers within a second. */
export type StatusSource = () => Promise<StatusLine>

/**
 * The lines of `svc status`. Each part of the host that an operator has to look after adds its own.
 * @example
 * status.add('backup', async () => ({ state: 'ok', text: 'Verified 3 h ago.' }))
 */
export class StatusBoard {
  readonly #sources = new Map<string, StatusSource>()

  /** Adds a line, in the order of adding; takes the place of the one of the same subject. */
  add(subject: string, source: StatusSource): void {
    this.#sources.set(subject, source)
  }

  /** Never rejects: what cannot be found out is a fault. */
  async read(): Promise<Status> {
    const lines = await Promise.all(
      [...this.#sources].map(async ([subject, source]) => {
        try {
          return { subject, ...(await source()) }
        } catch (error) {
          const text = `This could not be found out: ${describeError(error)}`
          return { subject, state: 'fault' as const, text }
        }
      }),
    )
    const states = lines.map(({ state }) => state)
    const worst = (['fault', 'warning'] as const).find((state) => states.includes(state))
    return { state: worst ?? 'ok', lines }
  }
}
