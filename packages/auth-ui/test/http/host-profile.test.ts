import type { HttpError } from '@svc/platform'
import { expect } from 'chai'
import type { HostFieldChange, HostProfile } from '../../src/index.ts'
import {
  askFor,
  type EmailServer,
  NEW,
  OLD,
  press,
  startEmail,
  tokenIn,
} from '../support/email-change.ts'

interface Document {
  readonly data: {
    readonly attributes: Readonly<Record<string, unknown>>
    readonly links?: Readonly<Record<string, string>>
  }
}

function refusal(status: number, description: string): HttpError {
  return Object.assign(new Error(description), {
    status,
    code: 'name_kept',
    expose: true,
    description,
  })
}

const ADDRESS = 'https://accounts.example.com/me'

describe('fields of the profile that the host keeps', () => {
  let at: EmailServer
  let asked: (readonly [string, string, string | undefined, string])[]
  let veto: HttpError | undefined

  const noted =
    (name: string) =>
    ({ field, before, value, undone }: HostFieldChange): void => {
      asked.push([undone === true ? `${name} undone` : name, field, before, value])
      if (name === 'ask' && veto !== undefined) throw veto
    }

  async function start(profile: HostProfile): Promise<void> {
    asked = []
    veto = undefined
    at = await startEmail({
      ui: { profile: { onChange: noted('ask'), onChanged: noted('tell'), ...profile } },
    })
  }

  const rename = (name: string) =>
    at.owner.call('PATCH', '/settings/profile', { public_name: name })
  const shown = async () => (await at.owner.call('GET', '/settings/profile')).json<Document>().data

  it('are asked about before they are written, and told of afterwards', async () => {
    await start({ fields: ['email', 'public_name'] })
    expect((await rename('Alice')).status).to.equal(200)
    expect((await rename('Alice')).status).to.equal(200)
    expect((await askFor(at)).status).to.equal(202)
    expect(asked).to.deep.equal([
      ['ask', 'public_name', undefined, 'Alice'],
      ['tell', 'public_name', undefined, 'Alice'],
    ])
    await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
    expect((await shown()).attributes).to.include({ email: NEW })
    expect(asked.slice(2)).to.deep.equal([
      ['ask', 'email', OLD, NEW],
      ['tell', 'email', OLD, NEW],
    ])
  })

  it('stay as they are when the host refuses, and the owner reads why', async () => {
    await start({ fields: ['email', 'public_name'] })
    veto = refusal(403, 'names follow the register')
    const answer = await rename('Mallory')
    expect(answer.status, answer.text).to.equal(403)
    expect(answer.text).to.include('names follow the register')
    await askFor(at)
    const before = at.delivered.length
    const page = await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
    expect(page.status).to.equal(403)
    // The old address hears of nothing that did not happen.
    expect(at.delivered).to.have.length(before)
    expect((await shown()).attributes).to.include({ email: OLD, public_name: '' })
    expect(asked.map(([name]) => name)).to.deep.equal(['ask', 'ask'])
    // The link is as good as before: the refusal may have been for a moment.
    veto = undefined
    await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
    expect((await shown()).attributes).to.include({ email: NEW })
  })

  it('are not written when the hook breaks', async () => {
    await start({
      fields: ['public_name'],
      onChange: () => {
        throw new Error('the host is down')
      },
    })
    expect((await rename('Alice')).status).to.equal(500)
    expect((await shown()).attributes).to.include({ public_name: '' })
  })

  it('are written all the same when the host cannot be told', async () => {
    await start({
      fields: ['public_name'],
      onChanged: () => Promise.reject(new Error('the host is down')),
    })
    expect((await rename('Alice')).status).to.equal(200)
    expect((await shown()).attributes).to.include({ public_name: 'Alice' })
  })

  it('come back whatever the host says, when the owner takes a change back', async () => {
    await start({ fields: ['email'] })
    await askFor(at)
    await press(at.owner.browser, '/auth/email', tokenIn(at, 'update_email'))
    veto = refusal(403, 'never')
    await press(at.server.browser(), '/auth/email/undo', tokenIn(at, 'email_changed'))
    expect((await at.server.oauth.instances.byId(at.instance.id))?.email).to.equal(OLD)
    expect(asked.slice(-2)).to.deep.equal([
      ['ask undone', 'email', NEW, OLD],
      ['tell undone', 'email', NEW, OLD],
    ])
  })

  it('are nobody’s but the owner’s when the option does not name them', async () => {
    await start({ fields: ['email'] })
    expect((await rename('Alice')).status).to.equal(200)
    expect(asked).to.deep.equal([])
  })

  it('are shown with the way to the host, and not taken here, when they have a link', async () => {
    await start({
      fields: ['email', 'public_name'],
      link: { email: ADDRESS, public_name: ({ domain }) => `${ADDRESS}?of=${domain}` },
    })
    expect((await shown()).links).to.deep.equal({
      email: ADDRESS,
      public_name: `${ADDRESS}?of=alice.example.com`,
    })
    const refused = await rename('Alice')
    expect(refused.status).to.equal(409)
    expect(refused.text).to.include('public_name is changed where its link leads')
    expect((await askFor(at)).status).to.equal(409)
    expect(at.delivered).to.deep.equal([])
    // What is not the host's goes on.
    const zone = { time_zone: 'Europe/Paris' }
    expect((await at.owner.call('PATCH', '/settings/profile', zone)).status).to.equal(200)
    // The host's own change arrives by `instances.update`, and asks nobody.
    await at.server.oauth.instances.update(at.instance.id, { publicName: 'Alice', email: NEW })
    expect((await shown()).attributes).to.include({ email: NEW, public_name: 'Alice' })
    expect(asked).to.deep.equal([])
  })

  it('do not start with a link to nowhere, or of a field that is not named', async () => {
    for (const profile of [
      { fields: ['email'], link: { email: '/me' } },
      { fields: ['email'], link: { email: 'javascript:alert(1)' } },
      { fields: ['email'], link: { public_name: ADDRESS } },
      { fields: ['phone'] },
    ]) {
      const fault: unknown = await startEmail({ ui: { profile: profile as HostProfile } }).catch(
        (error: unknown) => error,
      )
      expect(fault, JSON.stringify(profile)).to.be.instanceOf(TypeError)
    }
    await start({ fields: [] })
  })
})
