import { closeSync, rmSync } from 'node:fs'
import { describeError, openNewFile } from '@svc/store'
import type { EmbeddedStore } from '@svc/store/sqlite'
import { syncFile } from './backup-files.ts'

/** The copy that is being made, or was made last. */
export interface Copy {
  readonly file: string
  readonly state: 'copying' | 'done' | 'failed'
  readonly error?: string
}

/** A command asks ten times a second. Milliseconds. */
const PATIENCE_MS = 10_000

/** The copies that a server makes of its embedded store for commands, one at a time. */
export class ServedCopies {
  readonly #store: Pick<EmbeddedStore, 'backup'>
  readonly #patienceMs: number
  #copy: Copy | undefined
  #patience: NodeJS.Timeout | undefined

  /** @param patienceMs - a copy that nobody asks for so long is given up: its command was killed */
  constructor(store: Pick<EmbeddedStore, 'backup'>, patienceMs: number = PATIENCE_MS) {
    this.#store = store
    this.#patienceMs = patienceMs
  }

  /**
   * Begins a copy, which goes on after this returns.
   * @returns undefined while another one is being made
   * @throws Error when the file is there, or cannot be made
   */
  begin(file: string): Copy | undefined {
    if (this.#copy?.state === 'copying') return undefined
    closeSync(openNewFile(file)) // Nothing that is there is written over.
    const giveUp = new AbortController()
    const begun: Copy = { file, state: 'copying' }
    this.#copy = begun
    this.#patience = setTimeout(() => {
      giveUp.abort(new Error('no command asked for it any more'))
    }, this.#patienceMs).unref()
    void this.#make(file, giveUp.signal).then((copy) => {
      clearTimeout(this.#patience)
      this.#copy = copy
    })
    return begun
  }

  /** How far the last one is. Who asks waits for it. */
  ask(): Copy | undefined {
    if (this.#copy?.state === 'copying') this.#patience?.refresh()
    return this.#copy
  }

  async #make(file: string, signal: AbortSignal): Promise<Copy> {
    try {
      await this.#store.backup(file, { signal })
      await syncFile(file)
      return { file, state: 'done' }
    } catch (error) {
      rmSync(file, { force: true })
      return { file, state: 'failed', error: describeError(error) }
    }
  }
}
