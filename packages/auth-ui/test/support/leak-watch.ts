import type Koa from 'koa'
import type { AuthUiOptions } from '../../src/index.ts'
import type { UiServer } from './ui-server.ts'

/** What a secret is, by how far it may go. */
type Kind =
  /** Passphrases, passcodes, session ids and cookies: into no answer that is an error, in no form. */
  | 'never'
  /** Tokens and codes that a form carries on: in an error page only to be posted, or begun with, again. */
  | 'carried'

interface Answer {
  readonly asked: string
  readonly status: number
  readonly text: string
  readonly isPage: boolean
  readonly location: string
  /** Of the instance that answered. */
  readonly domain: string
}

/** Notes every secret that a server gives away or is told, and finds them where none may be. */
export interface LeakWatch {
  /** To be put in front of everything. */
  readonly own: (app: Koa) => void
  readonly ui: Pick<AuthUiOptions, 'events' | 'hooks'>
  /** A secret of the test's own. */
  note(secret: string): void
  /** Where secrets are that must not be there. */
  leaks(server: Pick<UiServer, 'logged' | 'mails'>): readonly string[]
  /** Those in a text that are given to one party alone, by whatever kind; session ids are not among them. */
  heldIn(text: string): readonly string[]
  /** What was looked at, by kind. */
  seen(): Readonly<Record<'secrets' | 'errors' | 'events' | 'redirects', number>>
}

const SECRET_MEMBERS = [
  'client_secret',
  'data-svc-token',
  'registration_access_token',
  'secret',
  'session_code',
  'two_factor_token',
  'two_factor_trusted_device_token',
]
const SECRET_PARAMETERS = ['code', 'registerToken', 'session_code', 'token', 'two_factor_token']
/** A hidden field, and a link to a page of the instance that begins again with what was posted (`start-again.ts`). */
const CARRYING = /<input[^>]*type="hidden"[^>]*>|href="\/auth\/[^"]*"/g
const SHORTEST = 6

export function leakWatch(): LeakWatch {
  const secrets = new Map<string, Kind>()
  const sessionIds = new Set<string>()
  const answers: Answer[] = []
  const events: unknown[] = []

  function note(secret: unknown, kind: Kind): void {
    if (typeof secret !== 'string' || secret.length < SHORTEST) return
    if (secrets.get(secret) !== 'never') secrets.set(secret, kind)
  }

  function noteMails(mails: UiServer['mails']): void {
    for (const { variables } of mails) {
      if ('passcode' in variables) note(variables.passcode, 'never')
      if ('code' in variables) note(variables.code, 'never')
      if ('url' in variables) noteUrl(variables.url, 'carried')
    }
  }

  function noteUrl(text: string, kind: Kind): void {
    if (!URL.canParse(text)) return
    const { searchParams } = new URL(text)
    for (const name of SECRET_PARAMETERS) note(searchParams.get(name) ?? undefined, kind)
  }

  function noteJson(text: string): void {
    if (!text.startsWith('{')) return
    const body = JSON.parse(text) as Record<string, unknown>
    for (const name of SECRET_MEMBERS) note(body[name], 'carried')
    noteUrl(String(body['redirect']), 'carried')
    if (Array.isArray(body['codes'])) {
      for (const code of body['codes']) {
        note(code, 'never')
        note(String(code).replace('-', ''), 'never')
      }
    }
  }

  function noteCookies(header: unknown): void {
    for (const cookie of Array.isArray(header) ? header : []) {
      const [, name = '', value] = /^([^=]+)=([^;]*)/.exec(String(cookie)) ?? []
      note(value, /csrf/.test(name) ? 'carried' : 'never')
    }
  }

  async function watch(ctx: Koa.Context, next: Koa.Next): Promise<void> {
    await next()
    const text = Buffer.isBuffer(ctx.body) ? ctx.body.toString() : textOf(ctx.body)
    const { location = '', 'content-type': type = '', 'set-cookie': cookies } = ctx.response.headers
    const instance = ctx.state['instance'] as { domain: string } | undefined
    const isPage = String(type).startsWith('text/html')
    noteCookies(cookies)
    if (!isPage) noteJson(text)
    noteUrl(String(location), 'carried')
    const asked = `${ctx.method} ${ctx.path}`
    const { status } = ctx
    const domain = instance?.domain ?? ''
    answers.push({ asked, status, text, isPage, location: String(location), domain })
  }

  function notedIn(text: string, kinds: readonly Kind[]): readonly string[] {
    const found = [...secrets].filter(([secret, kind]) => kinds.includes(kind) && has(text, secret))
    return found.map(([secret]) => secret)
  }

  function inError({ text, isPage, status }: Answer): readonly string[] {
    if (status < 400) return []
    const rest = isPage ? text.replaceAll(CARRYING, '') : withoutTwoFactorToken(text, status)
    return [...notedIn(text, ['never']), ...notedIn(rest, ['carried'])]
  }

  function leaves({ location, domain }: Answer): boolean {
    if (location === '' || location.startsWith('/')) return false
    const { host } = new URL(location)
    return host !== domain && !host.endsWith(`.${domain}`)
  }

  return {
    own: (app) => {
      app.use(watch)
    },
    ui: {
      events: {
        publish: async (_instance, verb, event) => {
          events.push({ verb, event })
        },
      },
      hooks: {
        onLoggedIn: ({ sessionId }) => {
          note(sessionId, 'never')
          sessionIds.add(sessionId)
        },
      },
    },
    note: (secret) => note(secret, 'never'),
    heldIn: (text) =>
      notedIn(text, ['never', 'carried']).filter((secret) => !sessionIds.has(secret)),
    leaks(server) {
      noteMails(server.mails)
      const both: readonly Kind[] = ['never', 'carried']
      return [
        ...server.logged.flatMap((line) =>
          notedIn(JSON.stringify(line), both).map((secret) => `log ${line[0]}: ${secret}`),
        ),
        ...events.flatMap((event) =>
          notedIn(JSON.stringify(event), both).map((secret) => `event: ${secret}`),
        ),
        ...answers.flatMap((answer) =>
          inError(answer).map((secret) => `${answer.asked} ${answer.status}: ${secret}`),
        ),
        ...answers
          .filter(leaves)
          .flatMap(({ asked, location }) =>
            notedIn(location, both).map((secret) => `${asked} leads to ${location}: ${secret}`),
          ),
      ]
    },
    seen: () => ({
      secrets: secrets.size,
      errors: answers.filter(({ status }) => status >= 400).length,
      events: events.length,
      redirects: answers.filter(({ location }) => location !== '').length,
    }),
  }
}

/** SPEC: login.md 5.1, 5.4 - the one secret that answers of these statuses are for. */
function withoutTwoFactorToken(text: string, status: number): string {
  if (status !== 401 && status !== 403) return text
  return text.replaceAll(/"two_factor_token":"[^"]*"/g, '')
}

/** Whole: six digits inside of a longer number are not the passcode. */
function has(text: string, secret: string): boolean {
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + 1)) {
    const around = `${text[at - 1] ?? ''}${text[at + secret.length] ?? ''}`
    if (secret.length > 10 || !/[\p{L}\d._-]/u.test(around)) return true
  }
  return false
}

function textOf(body: unknown): string {
  if (typeof body === 'string') return body
  return body === undefined || body === null ? '' : JSON.stringify(body)
}
