import { until } from '@svc/testkit'
import { expect } from 'chai'
import { type HostProcess, spawnHost } from '../support/host-process.ts'

const DOMAIN = 'alice.example.com'

describe('svc notification and svc outbox', function () {
  this.timeout(60_000)
  let host: HostProcess

  before(async () => {
    host = await spawnHost({ env: { SVC_DEMO: 'off' } })
    await words('instance', 'create', DOMAIN, '--email', 'alice@mail.example')
  })
  after(() => host?.stop())

  const words = (...args: readonly string[]): Promise<string> => host.words(...args)
  async function says(wanted: RegExp, ...args: string[]): Promise<string> {
    let said = ''
    const look = async (): Promise<boolean> => wanted.test((said = await words(...args)))
    await until(look, { limitMs: 20_000, describe: () => said })
    return said
  }

  it('tell an owner something, by text where there is a phone, and show what became of it', async () => {
    expect(await words('outbox')).to.equal('Nothing yet.\n')
    await words('instance', 'update', DOMAIN, '--phone', '+33 6 12 34 56 78')
    const said = await words(
      `notification send ${DOMAIN} --title Tonight --message`,
      'Down for an hour',
      '--channel',
      'sms',
      'mail',
      '--priority',
      'high',
    )
    const id = /The notification ([0-9a-f-]{36}) is queued\./.exec(said)?.[1] ?? ''
    await says(/ sent +sms +Tonight/, 'notification', 'list', DOMAIN)
    expect(await words('notification', 'show', DOMAIN, id)).to.include('"class":"sent"')
    expect(await words('outbox', DOMAIN)).to.match(
      /^Date: \S+\nText to: \+33612345678\n\nDown for an hour\n$/,
    )
    await words('instance', 'update', DOMAIN, '--phone', 'none')
    expect(await words('instance', 'show', DOMAIN)).not.to.include('phone')
  })

  it('take back what is not sent yet, and say why they cannot', async () => {
    const at = new Date(Date.now() + 3_600_000).toISOString()
    const { stdout } = await host.svc(`notification send ${DOMAIN} --title Later --at ${at} --json`)
    const { id } = JSON.parse(stdout) as { id: string } // as the admin listener answers
    expect(await words('notification', 'cancel', DOMAIN, id)).to.equal(`Cancelled ${id}.\n`)
    const again = await host.svc('notification', 'cancel', DOMAIN, id)
    expect(again.code).to.equal(1)
    expect(again.stderr).to.include('it is cancelled')
  })
})
