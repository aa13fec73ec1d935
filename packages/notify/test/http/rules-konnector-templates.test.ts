import { expect } from 'chai'
import type { NotifyApps } from '../../src/ports.ts'
import { type MailBench, openMailBench } from '../support/mail-bench.ts'

const BILLS = { slug: 'bank', name: 'Bills', permissions: {} }
const POSTED = {
  originator: 'konnector',
  postedBy: 'io.svc.konnectors/bank',
  data: { sum: '<7>' },
  flags: { templates: { mail: 'file:./mail.tpl' } },
} as const

describe('templates of konnectors in notifications (4.2, 10.3)', () => {
  let bench: MailBench
  afterEach(() => bench.close())
  const start = async (apps: NotifyApps): Promise<void> => {
    bench = await openMailBench({ apps: { konnector: async () => BILLS, ...apps } })
    // An app of the same name has other files.
    bench.files.set('bank/mail.tpl', '<html>of the app</html>')
  }

  it('are read from its own folder, never from that of an app of its name', async () => {
    const asked: string[] = []
    await start({
      async readKonnectorFile({ slug }, path) {
        asked.push(`${slug} ${path}`)
        return new TextEncoder().encode('<html>{{ app.name }}: {{ sum }}</html>')
      },
    })
    const mail = await bench.mail(POSTED)
    expect(mail.html).to.include('>Bills: &lt;7&gt;</td>')
    expect(asked).to.deep.equal(['bank mail.tpl'])
    expect(bench.read).to.deep.equal([])
  })

  it('are none, without a warning, of a host that has no folders of konnectors', async () => {
    await start({})
    const outcome = await bench.attempt(POSTED)
    expect(outcome).to.include({ class: 'sent' }).and.to.not.have.property('warnings')
    expect(bench.mailbox.mails[0]?.html).to.not.include('of the app')
    expect(bench.read).to.deep.equal([])
  })

  it('that are missing warn, as those of apps', async () => {
    await start({ readKonnectorFile: async () => undefined })
    expect((await bench.attempt(POSTED)).warnings).to.deep.equal(['template_error'])
  })
})
