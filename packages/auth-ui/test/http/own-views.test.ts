import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { MODEL_NUMBERS, type OwnViews } from '../../src/index.ts'
import { createAlice, startUi, type UiServer } from '../support/ui-server.ts'

const read = (view: string): string =>
  readFileSync(new URL(`../../views/${view}.njk`, import.meta.url), 'utf8')

const MAIN = '{% block main %}'

describe('templates of the host', () => {
  let server: UiServer | undefined
  let folder: string
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-views-'))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  afterEach(async () => {
    server = undefined
  })

  /** Our own template behind the first line, changed. */
  function template(
    view: keyof OwnViews,
    change: (source: string) => string = (source) => source,
  ): string {
    const file = join(folder, `${view}.njk`)
    writeFileSync(file, `{# ${view} ${MODEL_NUMBERS[view]} #}\n${change(read(view))}`)
    return file
  }

  async function start(views: OwnViews): Promise<UiServer> {
    server = await startUi({ ui: { views } })
    await server.ui.start()
    return server
  }

  it('are shown in the place of ours, on the layout of the package', async () => {
    const login = template('login', (source) => source.replaceAll('<h1>', '<p>OWN</p><h1>'))
    const { browser } = await start({ login })
    await createAlice(server as UiServer)
    const page = await browser().get('/auth/login')
    expect(page.text).to.include('<p>OWN</p>').and.to.include('<html lang="en" dir="ltr">')
  })

  for (const view of Object.keys(MODEL_NUMBERS) as (keyof OwnViews)[]) {
    it(`pass as they are ours: ${view}`, async () => {
      await start({ [view]: template(view) })
    })
  }

  const wrong: readonly [
    problem: string,
    view: keyof OwnViews,
    from: string | RegExp,
    to: string,
  ][] = [
    ['lacks the form with the action /auth/login', 'login', '"/auth/login"', '"/login"'],
    ['lacks method=post of /auth/authorize', 'consent', 'method="post"', ''],
    [
      'lacks the field csrf_token of /auth/authorize',
      'consent',
      "{{ parts.hidden('csrf_token', model.csrfToken) }}",
      '',
    ],
    [
      'lacks the field consent of /auth/authorize',
      'consent',
      /\{% for name, value in model\.view\.fields[\s\S]*?endfor -%\}/u,
      '',
    ],
    [
      'lacks the field passphrase_reset_token of /auth/passphrase_renew',
      'renew',
      "'passphrase_reset_token'",
      "'token'",
    ],
    [
      'lacks the field passphrase of /auth/confirm',
      'confirm',
      /\{\{ parts\.passphrase\(.*\}\}/gu,
      '',
    ],
    [
      'lacks the field passphrase_raw of /auth/login',
      'login',
      "parts.hidden('passphrase_raw', '')",
      "''",
    ],
    ['lacks data-import of /auth/login', 'login', ' data-import', ''],
    ['lacks data-salt of /auth/login', 'login', 'data-salt=', 'data-pepper='],
    ['lacks data-iterations of /auth/confirm', 'confirm', /data-iterations=/g, 'data-times='],
    ['lacks a label of the field two-factor-passcode', 'passcode', 'for="passcode"', ''],
    ['has an inline <script>', 'reset', MAIN, `${MAIN}<script>x()</script>`],
    ['has the attribute onclick on <p>', 'reset', MAIN, `${MAIN}<p onclick="x()">`],
    ['cannot be shown: ', 'login', MAIN, '{% block main'],
    ['cannot be shown: ', 'login', "t('login.title')", "t('login.titel')"],
  ]
  for (const [problem, view, from, to] of wrong) {
    it(`end the start: ${view} ${problem}`, async () => {
      const own = template(view, (source) => source.replace(from, to))
      const failed = await start({ [view]: own }).catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(TypeError)
      expect(String(failed)).to.include(`options.views.${view}: ${problem}`)
    })
  }

  it('are refused when they are for another model', async () => {
    const older = join(folder, 'older.njk')
    writeFileSync(older, `{# consent 2 #}\n${read('consent')}`)
    for (const [consent, problem] of [
      [older, 'has to begin with the line {# consent 3 #}'],
      [join(folder, 'none.njk'), 'cannot be read: ENOENT'],
      ['consent.njk', 'must be an absolute path'],
    ] as const) {
      const failed = await startUi({ ui: { views: { consent } } }).catch((error: unknown) => error)
      expect(String(failed)).to.include(`options.views.consent: ${problem}`)
    }
  })
})
