import type { Client } from '@svc/oauth-core'
import type { Instance } from '@svc/platform'
import { defineOptions } from '@svc/platform/options'
import type { AuthUiLog } from '../log/log-events.ts'
import type { Theme } from './theme.ts'
import { hasDataImages, readStyleFile } from './theme-file.ts'
import { type ThemeOf, type ThemeOption, themeValues } from './theme-option.ts'
import { themeStyle } from './theme-style.ts'

/** A theme, ready for pages. */
export interface Look {
  readonly theme: Theme
  /** Its sheet; empty: it has none. */
  readonly css: string
  /** Whether the sheet shows images that are part of it. */
  readonly hasDataImages: boolean
}

/** What {@link Looks} needs. */
export interface LooksOptions {
  readonly theme: ThemeOption | undefined
  /** The sheet of the properties. */
  readonly tokens: string
  readonly log: Pick<AuthUiLog, 'error'>
}

/** Themes that are remembered, ready for pages. */
const MOST_LOOKS = 200
const PLAIN: Look = { theme: {}, css: '', hasDataImages: false }
const ANSWER = defineOptions({ theme: themeValues() }, { root: 'answer' })

/** The embedder's looks, for each instance and client. */
export class Looks {
  readonly #tokens: string
  readonly #log: Pick<AuthUiLog, 'error'>
  readonly #themeOf: ThemeOf | undefined
  /** By the theme's values. */
  readonly #ready = new Map<string, Look>()
  /** The one look there is, unless it depends on something. */
  readonly fixed: Look | undefined

  constructor({ theme, tokens, log }: LooksOptions) {
    this.#tokens = tokens
    this.#log = log
    this.#themeOf = typeof theme === 'function' ? theme : undefined
    if (typeof theme !== 'function') this.fixed = theme === undefined ? PLAIN : this.#make(theme)
  }

  /** The look of a page. Never throws: nobody is locked out by a colour. */
  of(instance: Instance, client?: Client): Look {
    if (this.fixed !== undefined || this.#themeOf === undefined) return this.fixed ?? PLAIN
    try {
      const answer = this.#themeOf(instance, client)
      if (answer === undefined) return PLAIN
      const values = JSON.stringify(answer)
      const known = this.#ready.get(values)
      if (known !== undefined) return known
      const look = this.#make(ANSWER.settle({ theme: answer }).theme)
      this.#remember(values, look)
      return look
    } catch (cause) {
      this.#log.error('theme.failed', { domain: instance.domain, cause: String(cause) })
      return PLAIN
    }
  }

  #make(theme: Theme): Look {
    const file = theme.cssFile === undefined ? '' : readStyleFile(theme.cssFile)
    return {
      theme,
      css: themeStyle(theme, this.#tokens, file),
      hasDataImages: hasDataImages(file),
    }
  }

  #remember(values: string, look: Look): void {
    const [oldest] = this.#ready.keys()
    if (this.#ready.size >= MOST_LOOKS && oldest !== undefined) this.#ready.delete(oldest)
    this.#ready.set(values, look)
  }
}
