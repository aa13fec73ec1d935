import { expect } from 'chai'
import { assistantOptions, assistantSwitches } from '../../src/config/assistants.ts'
import { ConfigError, loadConfig } from '../../src/config/config.ts'
import { coreOverrides } from '../../src/config/overrides.ts'

/** @see assistants.md 7.1 */
describe('the switches of assistants', () => {
  it('reach what they are about', () => {
    const config = loadConfig({
      SVC_ASSISTANTS: 'off',
      SVC_ASSISTANTS_WRITE: 'off',
      SVC_ASSISTANTS_KINDS: 'io.svc.notes,io.svc.contacts',
      SVC_ASSISTANTS_CLIENT_HOSTS: 'sage.example,*.apps.example',
      SVC_ASSISTANTS_CLIENT_HOSTS_DENIED: 'bad.apps.example',
      SVC_ASSISTANTS_REGISTRATION: 'off',
      SVC_ASSISTANTS_REQUIRE_STATE: 'on',
      SVC_ASSISTANTS_MAX_DURATION: '1d',
      SVC_ASSISTANTS_TOKEN_LIFE: '5m',
    })
    expect(assistantSwitches(config.assistants)).to.deep.equal({
      isOn: false,
      writes: false,
      kinds: ['io.svc.notes', 'io.svc.contacts'],
    })
    expect(assistantOptions(config.assistants)).to.deep.equal({
      registration: false,
      requireState: true,
      maxDuration: '1d',
      clientHosts: ['sage.example', '*.apps.example'],
      clientHostsDenied: ['bad.apps.example'],
    })
    expect(coreOverrides(config).lifetimes).to.deep.equal({ resourceTokenMs: 300_000 })
  })

  it('are refused when they say something else', () => {
    for (const [name, value] of [
      ['SVC_ASSISTANTS', 'yes'],
      ['SVC_ASSISTANTS_KINDS', 'notes'],
      ['SVC_ASSISTANTS_CLIENT_HOSTS', 'https://sage.example'],
      ['SVC_ASSISTANTS_MAX_DURATION', '2d'],
      ['SVC_ASSISTANTS_TOKEN_LIFE', 'long'],
    ] as const) {
      expect(() => loadConfig({ [name]: value }), name).to.throw(ConfigError, name)
    }
  })
})
