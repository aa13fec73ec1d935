import { parseScope } from '@svc/oauth-core'
import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { permissionSentence } from '../../src/consent/permission-words.ts'
import { redirectTarget, webAddress, workingLink } from '../../src/consent/redirect-target.ts'
import { createMessages } from '../../src/messages.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const messages = createMessages()

describe('permissionSentence', () => {
  const cases: readonly [rule: string, english: string, french: string][] = [
    ['io.svc.contacts:GET', 'Contacts: read only', 'Contacts\u00a0: lire seulement'],
    [
      'io.svc.files',
      'Files and folders: read, add, change, delete',
      'Fichiers et dossiers\u00a0: lire, ajouter, modifier, supprimer',
    ],
    ['io.svc.jobs:POST', 'Background jobs: add', 'Tâches de fond\u00a0: ajouter'],
    ['io.svc.notes:GET,PUT', 'Notes: read, change', 'Notes\u00a0: lire, modifier'],
    ['io.svc.bank.*:GET', 'Bank data: read only', 'Données bancaires\u00a0: lire seulement'],
    [
      'io.svc.files:GET:a,b',
      'Files and folders: read only (Only 2 items)',
      'Fichiers et dossiers\u00a0: lire seulement (Seulement 2 éléments)',
    ],
    [
      'io.svc.jobs:POST:sendmail:worker',
      'Background jobs: add (Only some of them)',
      'Tâches de fond\u00a0: ajouter (Seulement une partie)',
    ],
    [
      'com.example.recipes:GET',
      'Data of type com.example.recipes: read only',
      'Données de type com.example.recipes\u00a0: lire seulement',
    ],
    [
      'io.svc.nobody.knows:GET',
      'Data of type io.svc.nobody.knows: read only',
      'Données de type io.svc.nobody.knows\u00a0: lire seulement',
    ],
  ]
  for (const [rule, english, french] of cases) {
    it(`says ${rule} in plain words`, () => {
      const permission = parseScope(rule)![0]!
      const say = (locale: string): string =>
        permissionSentence(messages.forLocale(locale), permission, 'io.svc')
      expect(say('en')).to.equal(english)
      expect(say('fr')).to.equal(french)
    })
  }

  it('knows the doctypes under another namespace', () => {
    const permission = parseScope('com.acme.contacts:GET')![0]!
    const say = (namespace: string): string =>
      permissionSentence(messages.forLocale('en'), permission, namespace)
    expect(say('com.acme')).to.equal('Contacts: read only')
    expect(say('io.svc')).to.equal('Data of type com.acme.contacts: read only')
  })
})

describe('redirectTarget', () => {
  const cases: readonly [uri: string, key: string][] = [
    ['https://drive.example.com/cb', 'consent.target.web'],
    ['http://localhost:4000/cb', 'consent.target.local'],
    ['http://127.0.0.1:4000/cb', 'consent.target.local'],
    ['http://[::1]:4000/cb', 'consent.target.local'],
    ['https://localhost.example.com/cb', 'consent.target.web'],
    ['cozydrive://oauth', 'consent.target.app'],
    ['urn:ietf:wg:oauth:2.0:oob', 'consent.target.manual'],
  ]
  for (const [uri, key] of cases) {
    it(`says ${key} for ${uri}`, () => {
      expect(redirectTarget(uri).key).to.equal(key)
    })
  }

  it('names a look-alike host by its letters on the wire', () => {
    const { host } = redirectTarget('https://аpple.com/cb').values
    expect(host?.isolated).to.equal('xn--pple-43d.com')
  })
})

describe('links', () => {
  const refused = [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'JAVASCRIPT:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a/b',
    '//evil.example.com',
    '/\\evil.example.com',
    'not a url',
    '',
  ]
  for (const text of refused) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(workingLink(text)).to.equal(undefined)
      expect(webAddress(text)).to.equal(undefined)
    })
  }

  const kept = ['/', '/auth/login', 'https://a.example/b?error=access_denied', 'app://x?error=y']
  for (const text of kept) {
    it(`keeps ${text} byte for byte`, () => {
      expect(workingLink(text)).to.equal(text)
    })
  }
})

const TICKS = [
  ...['read', 'change', 'delete'].map((right) => `group-files-${right}`),
  ...['read', 'change', 'delete'].map((right) => `permission-0-${right}`),
  'permission-1-read',
  'permission-1-change',
  'group-other-read',
  'group-other-delete',
  'permission-6-read',
  'permission-6-delete',
  'group-apps-change',
  'permission-4-change',
  'group-people-read',
  'permission-2-read',
  'group-money-read',
  'permission-3-read',
  'group-account-read',
  'permission-5-read',
]

describe('consent page', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  const get = async (name: string, query = ''): Promise<string> =>
    (await fetch(`${server.origin}/${name}${query}`)).text()

  it('names the app, what it asks, where it leads, and the raw scope', async () => {
    const { text, title, links } = parsePage(await get('consent'), server.origin)
    expect(title).to.equal('Allow Drive for Android? – Alice Martin')
    expect(text).to.include('Allow Drive for Android')
    expect(text).to.include('New app · not verified')
    expect(text).to.include('Your answer goes to drive.example.com')
    expect(text).to.include('Data of type com.example.recipes')
    expect(text).to.include('io.svc.photos.albums:GET,POST,PUT,PATCH')
    expect(text).to.include('https://drive.example.com/oauth/callback')
    expect(links).to.deep.include({
      text: 'Don’t allow',
      href: 'https://drive.example.com/oauth/callback?error=access_denied&state=s',
    })
    expect(await get('consent')).to.match(
      /<a href="https:\/\/drive\.example\.com\/privacy" rel="noopener noreferrer nofollow"/u,
    )
  })

  it('sends back the fields of the view and the token, to the authorization endpoint', async () => {
    const form = parsePage(await get('consent'), server.origin).form('/auth/authorize')
    expect(Object.fromEntries(form.fields)).to.deep.equal({
      csrf_token: 'c'.repeat(32),
      client_id: 'b1946ac92492d2347c6235b4d2611184',
      state: 's',
      redirect_uri: 'https://drive.example.com/oauth/callback',
      response_type: 'code',
      choice: '2',
      duration: '30d',
      ...Object.fromEntries(TICKS.map((name) => [name, 'on'])),
    })
    const words = ['Allow', 'Allow for 1 hour', 'Allow for 1 day', 'Allow for 30 days']
    expect(form.buttons[0]?.text, 'the style shows one of them').to.equal(words.join(''))
  })

  it('shows an installed app under its own name, not under what the client says', async () => {
    const { text } = parsePage(await get('consent-linked'), server.origin)
    expect(text)
      .to.match(/Allow Drive ?\?/u)
      .and.to.include('App of your space')
    expect(text).to.not.include('Drive for Android').and.not.to.include('Says it comes from')
  })

  it('shows only what is new in groups, and folds what the client keeps', async () => {
    const html = await get('consent-more')
    const [fresh = '', folded = ''] = html.split('<details class="fold keeps">', 2)
    const boxes = (text: string) => text.match(/name="permission-\d+-\w+"/gu)?.length ?? 0
    expect(html).to.include('It keeps the 2 permissions you allowed on November 2, 2026')
    expect(html).to.include('New: 5 kinds of data. It can ')
    expect(boxes(fresh)).to.equal(7)
    expect(boxes(folded)).to.equal(4)
    expect(folded, 'its own boxes alone decide').to.not.include('name="group-')
    expect(parsePage(html, server.origin).form('/auth/authorize').value('duration')).to.equal('30d')
  })

  it('says that nothing is new', async () => {
    const html = await get('consent-known')
    expect(html).to.include('Nothing new. It keeps what you allowed on November 2, 2026.')
    expect(html.match(/name="permission-\d+-\w+"/gu)).to.have.lengthOf(11)
    expect(html).to.not.include('name="group-')
  })

  it('comes back with empty boxes and the chosen time when nothing was ticked', async () => {
    const { form, text } = parsePage(await get('consent-nothing'), server.origin)
    expect(text).to.include('Tick at least one thing')
    const fields = Object.fromEntries(form('/auth/authorize').fields)
    expect(fields).to.include({ choice: '2', duration: '1h' })
    expect(Object.keys(fields).filter((name) => /^(?:permission|group)/u.test(name))).to.deep.equal(
      [],
    )
  })

  const whole: readonly [name: string, why: string][] = [
    ['consent-linked', 'You can’t leave anything out.'],
    ['consent-everything', 'You can’t leave anything out.'],
  ]
  for (const [name, why] of whole) {
    it(`has no boxes and says why: ${name}`, async () => {
      const { form, text } = parsePage(await get(name), server.origin)
      expect(text).to.include(why)
      const names = form('/auth/authorize').fields.map(([field]) => field)
      expect(names).to.include('duration')
      expect(names).to.not.include('choice')
      expect(names.join()).to.not.match(/permission|group/u)
    })
  }

  const cautions: readonly [name: string, look: string, words: string][] = [
    ['consent', 'warning', 'It can delete your files.'],
    ['consent-app', 'warning', 'Continue only if you just started'],
    ['consent-more', 'warning', 'Two different addresses.'],
    ['consent-everything', 'danger', 'It gets full control of your space.'],
    ['consent-imitation', 'danger', 'This looks like an imitation.'],
    ['consent-known', '', ''],
    ['consent-linked', '', ''],
  ]
  for (const [name, look, words] of cautions) {
    it(`cautions at most once: ${name}`, async () => {
      const notices = (await get(name)).match(/class="notice notice--\w+" role="note"/gu) ?? []
      const expected = look === '' ? [] : [`class="notice notice--${look}" role="note"`]
      expect(notices).to.deep.equal(expected)
      expect(await get(name)).to.include(words)
    })
  }

  it('names all of forty permissions', async () => {
    const html = await get('consent-forty')
    expect(html.match(/class="kind"/gu)).to.have.lengthOf(40)
    expect(html).to.include('quite.a.long.type.name.nobody.has.heard.of.before')
  })

  it('puts commas between the two kinds of a group, in every language', async () => {
    expect(await get('assistant', '?locale=fr')).to.include('>Contacts, Événements de l’agenda<')
    expect(await get('assistant', '?locale=de')).to.include('>Kontakte, Kalendertermine<')
    expect(await get('assistant', '?locale=es')).to.match(/>Contactos, [^<]+</u)
  })

  it('takes direction controls out of a name and isolates it', async () => {
    const html = await get('consent-rtl')
    expect(html).to.not.match(/\u202e/u)
    expect(html).to.include('<h1>Allow <bdi>تطبيق الملفات gnp.exe</bdi>?</h1>')
  })
})
