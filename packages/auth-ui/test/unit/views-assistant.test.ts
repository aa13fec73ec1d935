import { parsePage } from '@svc/testkit'
import { expect } from 'chai'
import { namesOfServer } from '../../src/consent/assistant-model.ts'
import { ASSISTANTS, LONGEST_NAME, LOOK_ALIKE } from '../support/assistant-models.ts'
import { type SampleServer, sampleServer } from '../support/sample-server.ts'

const LOCALES = ['en', 'fr', 'de', 'es'] as const
const HOST = 'assistant.quill.test'

/** Without the gaps that isolated names leave. */
function asRead(text: string): string {
  return text.replaceAll(/ (?=[.,;:”])|(?<=“) /gu, '')
}

describe('the assistants’ page', () => {
  let server: SampleServer
  before(async () => {
    server = await sampleServer()
  })
  after(() => server.close())

  const get = async (name: string, locale = 'en'): Promise<string> =>
    (await fetch(`${server.origin}/${name}?locale=${locale}`)).text()
  const page = async (name: string, locale = 'en') =>
    parsePage(await get(name, locale), server.origin)

  it('says all of it in each language, and never calls it an app', async () => {
    for (const sample of Object.keys(ASSISTANTS)) {
      const english = (await page(sample)).text
      for (const locale of LOCALES) {
        const { text, title } = await page(sample, locale)
        expect(title).to.not.equal('')
        if (locale !== 'en') expect(text).to.not.equal(english)
        const own = text
          // The section of the settings and the group of the data are called so.
          .replaceAll(
            /Apps (?:and (?:access|devices)|und (?:Zugriff|Geräte))|Applications et (?:accès|appareils)|Aplicaciones y (?:acceso|dispositivos)/gu,
            '',
          )
        expect(own, `${sample} ${locale}`).to.not.match(
          /(?<!\p{L})(?:apps?|applications?|aplicaci[oó]n(?:es)?|log ?in|anmelden|se connecter|iniciar sesión)(?!\p{L})/iu,
        )
      }
    }
  })

  it('ticks what reads, and nothing else, for 24 hours (5.4)', async () => {
    const form = (await page('assistant-writes')).form('/auth/authorize')
    const ticked = form.fields.flatMap(([name, value]) => (value === 'on' ? [name] : []))
    expect(ticked).to.deep.equal([
      'group-files-read',
      'permission-1-read',
      'group-people-read',
      'permission-0-read',
      'permission-2-read',
    ])
    expect(form.value('choice')).to.equal('2')
    expect(form.value('duration')).to.equal('1d')
    expect(form.inputs).to.include.members([
      'permission-1-change',
      'permission-1-delete',
      'permission-0-change',
    ])
    // Each stands for itself: that of its group is there already.
    expect(Object.fromEntries(form.fields)).to.include({
      'group-files-change': '1',
      'group-files-delete': '1',
      'group-people-change': '1',
    })
    expect(form.buttons.at(-1)).to.include({ name: 'answer', value: 'refuse', text: 'Don’t allow' })
  })

  it('leaves writes unticked that were allowed before, and names them', async () => {
    const { text, form } = await page('assistant-step-up')
    expect(form().value('permission-1-change')).to.equal(undefined)
    expect(form().value('duration')).to.equal('1h')
    expect(text.match(/allowed before/gu)).to.have.length(1)
  })

  it('keeps name and host on lines of their own, of one size (5.3)', async () => {
    for (const sample of ['assistant', 'assistant-long', 'assistant-rtl', 'assistant-elsewhere']) {
      const html = await get(sample)
      const lines = [...html.matchAll(/<p class="(?:who__row )?who__line">(?<line>.*?)<\/p>/gsu)]
      expect(lines, sample).to.have.length(2)
      const [name = '', host = ''] = lines.map(({ groups }) => groups?.['line'])
      expect(name).to.match(/^<strong><bdi>[^<]+<\/bdi><\/strong>$/u)
      expect(host).to.match(/^from <bdi dir="ltr">[a-z0-9.-]+<\/bdi>$/u)
    }
    expect(await get('assistant-long')).to.include(`<bdi>${LONGEST_NAME}</bdi>`)
    expect(await get('assistant-rtl')).to.not.match(/[\u202a-\u202e]/u)
    expect(await get('assistant-elsewhere')).to.include(`from <bdi dir="ltr">${LOOK_ALIKE}</bdi>`)
  })

  it('shows first what is certain where a name has words of this server (5.3)', async () => {
    const named = asRead((await page('assistant-brand')).text)
    expect(named.indexOf('From evil.example.net:')).to.be.within(
      0,
      named.indexOf('Assistant of alice.example.com'),
    )
    const unnamed = (await page('assistant-brand-registered')).text
    expect(unnamed, 'the address is above').to.include('Only the return address above is certain.')
    const address = unnamed.indexOf(`https://${HOST}/oauth/callback`)
    expect(address).to.be.within(0, unnamed.indexOf('An assistant that calls itself'))
  })

  it('takes for words of this server its product, its name and its domain', () => {
    expect(namesOfServer('alice.cloud.example.org:8443', 'Alice Martin', 'Acme')).to.deep.equal([
      'Acme',
      'Alice Martin',
      'alice.cloud.example.org',
      'alice',
      'cloud',
      'example',
    ])
  })
})
