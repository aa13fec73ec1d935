import type { BrowserContext } from 'playwright-core'

/** What pages complained about: scripts, the console, the content security policy, and answers of 500 and above. */
export interface PageWatch {
  /** Watches every page of a browser context, from now on. */
  add(context: BrowserContext): Promise<void>
  /** A refusal, or an unknown host, that the test provokes: the browser reports a resource that failed. */
  allowRefusal(pathname: string): void
  /** Everything since the last time; what was allowed is forgotten, too. */
  take(): readonly string[]
}

interface Fault {
  readonly text: string
  readonly url: string
}

export function watchPages(): PageWatch {
  let faults: Fault[] = []
  const allowed = new Set<string>()

  const isAllowed = ({ text, url }: Fault): boolean =>
    /^Failed to load resource: (?:.* status of 4\d\d|net::ERR_NAME_NOT_RESOLVED)/.test(text) &&
    URL.canParse(url) &&
    allowed.has(new URL(url).pathname)

  return {
    async add(context) {
      context.on('console', (message) => {
        if (message.type() !== 'error') return
        faults.push({ text: message.text(), url: message.location().url })
      })
      context.on('weberror', (error) => {
        const { message, stack = message } = error.error()
        faults.push({ text: stack, url: error.page()?.url() ?? '' })
      })
      context.on('response', (response) => {
        if (response.status() < 500) return
        faults.push({ text: `answered ${response.status()}`, url: response.url() })
      })
      await context.addInitScript(() => {
        addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
          console.error(`content security policy: ${violatedDirective} ${blockedURI}`)
        })
      })
    },
    allowRefusal: (pathname) => {
      allowed.add(pathname)
    },
    take() {
      const found = faults.filter((fault) => !isAllowed(fault))
      faults = []
      allowed.clear()
      return found.map(({ text, url }) => `${text} (${url})`)
    },
  }
}
