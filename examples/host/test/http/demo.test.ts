import { expect } from 'chai'
import { testFolder } from '../support/for-test.ts'
import { startTestHost } from '../support/test-host.ts'

describe('the demo instance', () => {
  // The address of the demo instance holds the port, and cookies know none.
  it('is not made a second time for another port, and the operator is told what to set', async () => {
    const folder = testFolder()
    const env = { SVC_DATA_DIR: folder, SVC_DEMO: 'on' }
    const first = await startTestHost({ ...env, SVC_DEMO_DOMAIN: 'demo.localhost:1' })
    expect(first.notices.join('\n')).to.include('The demo instance is http://demo.localhost:1/')
    await first.stop()
    const second = await startTestHost(
      { ...env, SVC_DEMO_DOMAIN: 'demo.localhost:2' },
      'bob.example.org',
    )
    expect(second.notices.join('\n'))
      .to.include('demo.localhost:2 shares cookies with demo.localhost:1')
      .and.include('SVC_PORT')
      .and.include('SVC_DEMO_DOMAIN')
    expect(await second.host.app.oauth.instances.byHost('demo.localhost:2')).to.equal(undefined)
    await second.stop()
  })
})
