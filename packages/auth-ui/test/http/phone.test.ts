import { eachStore } from '@svc/testkit'
import { expect } from 'chai'
import { refusalOf } from '../support/refusal.ts'
import { change, press, startEmail, tokenIn } from '../support/email-change.ts'
import { confirmedFor, ownerAt } from '../support/factor-flows.ts'
import {
  askForCode,
  NUMBER,
  otherThan,
  PHONE,
  phoneHost,
  type PhoneServer,
  startPhone,
} from '../support/phone.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

interface Document {
  readonly data: { readonly attributes: Readonly<Record<string, unknown>> }
}

describe('the phone of the owner', () => {
  let at: PhoneServer
  beforeEach(async () => {
    at = await startPhone({ notes: true })
  })
  afterEach(() => at.server.close())

  async function shown(): Promise<Document['data']['attributes']> {
    const answer = await at.owner.call('GET', '/settings/profile')
    return answer.json<Document>().data.attributes
  }

  async function put(fields: object): ReturnType<PhoneServer['owner']['call']> {
    const confirmed = await confirmedFor(at.server, at.owner)
    return at.owner.call('PUT', PHONE, { ...confirmed, ...fields })
  }

  it('counts after the code of a text, and not before', async () => {
    expect(await shown()).to.deep.include({ phone: null, phone_pending: null, sms: true })
    const asked = await put({ phone: ' +33 6 12.34-56 78 ' })
    expect(asked.status, asked.text).to.equal(202)
    const { attributes } = asked.json<Document>().data
    expect(attributes).to.deep.include({ phone: null })
    expect(attributes['phone_pending']).to.include({ number: NUMBER })
    expect(asked.text).not.to.include(at.host.texts[0]?.code)
    expect(at.host.told).to.deep.equal([])
    const [{ code, number } = { code: '', number: '' }] = at.host.texts
    expect({ code, number }).to.deep.equal({ code: code.match(/^\d{6}$/)?.[0], number: NUMBER })
    expect((await put({ code: `${code.slice(0, 3)} ${code.slice(3)}` })).status).to.equal(204)
    const after = await shown()
    expect(after['phone']).to.include({ number: NUMBER }).and.to.have.property('verified_at')
    expect(after).to.deep.include({ phone_pending: null })
    expect(at.host.told).to.deep.equal([NUMBER])
    expect(at.server.events.filter(({ event }) => event === 'phone.changed')).to.have.lengthOf(1)
    expect(JSON.stringify(at.server.events)).not.to.include('5678')
    expect(JSON.stringify(at.server.logged)).not.to.match(new RegExp(`5678|${code}`))
  })

  it('takes no code twice', async () => {
    const code = await askForCode(at)
    expect((await put({ code })).status).to.equal(204)
    const again = await put({ code })
    expect(refusalOf(again)).to.equal('422 phone_code_expired')
  })

  const none = ['0612345678', '+33', '+1 555', '+99912345678', '+33612345678 ext 3', 'a@b', '', '+']
  for (const phone of [...none, `call ${NUMBER}`, `+${'3'.repeat(80)}`]) {
    it(`answers 400 to ${JSON.stringify(phone).slice(0, 24)}`, async () => {
      const answer = await put({ phone })
      expect(refusalOf(answer)).to.equal('400 bad_phone')
      expect(at.host.texts).to.deep.equal([])
    })
  }

  it('takes the code with the number it was sent to, and with no other', async () => {
    const code = await askForCode(at)
    expect((await put({ phone: '+4915112345678', code })).status).to.equal(422)
    expect((await put({ phone: NUMBER, code })).status).to.equal(204)
  })

  it('lets a code die after five wrong ones, and after ten minutes', async () => {
    const code = await askForCode(at)
    for (let tries = 0; tries < 5; tries += 1) {
      const wrong = await put({ code: otherThan(code) })
      expect(refusalOf(wrong)).to.equal('422 phone_code_invalid')
    }
    expect((await put({ code })).text).to.include('phone_code_expired')
    at.server.clock.advance(2 * MINUTE_MS)
    const second = await askForCode(at)
    at.server.clock.advance(10 * MINUTE_MS)
    expect((await put({ code: second })).text).to.include('phone_code_expired')
    expect(at.host.told).to.deep.equal([])
    expect((await shown())['phone_pending']).to.equal(null)
  })

  it('sends one text a minute and three a day', async () => {
    await askForCode(at)
    expect((await put({ phone: NUMBER })).status).to.equal(429)
    for (const _ of [2, 3]) {
      at.server.clock.advance(MINUTE_MS + 1)
      await askForCode(at)
    }
    at.server.clock.advance(MINUTE_MS + 1)
    expect((await put({ phone: NUMBER })).status).to.equal(429)
    expect(at.host.texts).to.have.lengthOf(3)
    at.server.clock.advance(DAY_MS)
    await askForCode({ ...at, owner: await ownerAt(at.server) })
  })

  it('keeps nothing of a text that could not be sent', async () => {
    at.host.faults.ofText = new Error('no')
    const answer = await put({ phone: NUMBER })
    expect(refusalOf(answer)).to.equal('503 text_failed')
    expect((await shown())['phone_pending']).to.equal(null)
    delete at.host.faults.ofText
    for (const _ of [1, 2, 3]) {
      await askForCode(at)
      at.server.clock.advance(MINUTE_MS + 1)
    }
  })

  it('is there where the host keeps numbers, and cannot be proven where nobody takes texts', async () => {
    at.host.faults.noGateway = true
    at.host.numbers.set(at.instance.domain, NUMBER)
    expect(await shown()).to.deep.include({
      phone: { number: NUMBER, verified_at: null },
      sms: false,
    })
    expect((await put({ phone: NUMBER })).status).to.equal(404)
    const fields = await confirmedFor(at.server, at.owner)
    expect((await at.owner.call('DELETE', PHONE, fields)).status).to.equal(204)
    expect(at.host.numbers.size).to.equal(0)
    const bare = await startEmail({})
    try {
      const proof = await confirmedFor(bare.server, bare.owner)
      for (const method of ['PUT', 'DELETE']) {
        expect((await bare.owner.call(method, PHONE, proof)).status).to.equal(404)
      }
    } finally {
      await bare.server.close()
    }
  })

  it('is removed with what waits, and noted once', async () => {
    const code = await askForCode(at)
    await put({ code })
    at.server.clock.advance(MINUTE_MS + 1)
    const second = await askForCode(at, '+4915112345678')
    expect((await at.owner.call('DELETE', PHONE, {})).status).to.equal(403)
    for (const _ of [1, 2]) {
      const fields = await confirmedFor(at.server, at.owner)
      expect((await at.owner.call('DELETE', PHONE, fields)).status).to.equal(204)
    }
    expect(await shown()).to.deep.include({ phone: null, phone_pending: null })
    expect((await put({ code: second })).status).to.equal(422)
    expect(at.host.told).to.deep.equal([NUMBER, undefined])
    expect(at.server.events.filter(({ event }) => event === 'phone.changed')).to.have.lengthOf(2)
  })

  it('is not there when it is removed while its code is being taken', async () => {
    const code = await askForCode(at)
    const fields = await confirmedFor(at.server, at.owner)
    let isFirst = true
    at.host.faults.beforeSet = async () => {
      if (!isFirst) return
      isFirst = false
      expect((await at.owner.call('DELETE', PHONE, fields)).status).to.equal(204)
    }
    expect((await put({ code })).status).to.equal(422)
    expect(at.host.numbers.size).to.equal(0)
    expect(await shown()).to.deep.include({ phone: null, phone_pending: null })
  })
})

describe('the phone of the owner, at once', () => {
  eachStore((open) => {
    let at: PhoneServer
    beforeEach(async () => {
      at = await startPhone({ store: await open(), notes: true })
    })
    afterEach(() => at.server.close())

    it('lets one of 50 parallel confirmations of one code count', async () => {
      const code = await askForCode(at)
      const fields = await confirmedFor(at.server, at.owner)
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => at.owner.call('PUT', PHONE, { ...fields, code })),
      )
      expect(answers.filter(({ status }) => status === 204)).to.have.lengthOf(1)
      for (const { status } of answers) expect(status).to.be.oneOf([204, 422])
      expect(at.host.told).to.deep.equal([NUMBER])
      expect(at.server.events.filter(({ event }) => event === 'phone.changed')).to.have.lengthOf(1)
    })

    it('compares no more than five of 50 parallel guesses', async () => {
      const code = await askForCode(at)
      const fields = await confirmedFor(at.server, at.owner)
      const guess = { ...fields, code: otherThan(code) }
      const answers = await Promise.all(
        Array.from({ length: 50 }, () => at.owner.call('PUT', PHONE, guess)),
      )
      const compared = answers.filter(({ text }) => text.includes('phone_code_invalid'))
      expect(compared.length).to.be.within(1, 5)
      expect((await at.owner.call('PUT', PHONE, { ...fields, code })).status).to.equal(
        compared.length === 5 ? 422 : 204,
      )
    })

    it('sends one text to 20 parallel requests', async () => {
      const fields = await confirmedFor(at.server, at.owner)
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => at.owner.call('PUT', PHONE, { ...fields, phone: NUMBER })),
      )
      expect(answers.filter(({ status }) => status === 202)).to.have.lengthOf(1)
      expect(at.host.texts).to.have.lengthOf(1)
    })
  })
})

describe('the phone of the owner, when a new mail address is taken back', () => {
  it('stays when it is older, and goes when it came since', async () => {
    for (const isOlder of [true, false]) {
      const host = phoneHost()
      const at = await startEmail({ ui: host.ui })
      try {
        const prove = async (): Promise<void> => {
          const code = await askForCode({ ...at, host })
          const fields = await confirmedFor(at.server, at.owner)
          expect((await at.owner.call('PUT', PHONE, { ...fields, code })).status).to.equal(204)
          at.server.clock.advance(MINUTE_MS)
        }
        if (isOlder) await prove()
        await change(at)
        if (!isOlder) await prove()
        const undone = await press(
          at.owner.browser.another(),
          '/auth/email/undo',
          tokenIn(at, 'email_changed'),
        )
        expect(undone.status).to.equal(200)
        expect([...host.numbers.values()]).to.deep.equal(isOlder ? [NUMBER] : [])
      } finally {
        await at.server.close()
      }
    }
  })
})
