import { expect } from 'chai'
import { ForbiddenScopes } from '../../../src/scopes/forbidden.ts'
import { serializeScope } from '../../../src/scopes/scope.ts'
import { rules } from './arbitraries.ts'

describe('ForbiddenScopes', () => {
  const forbidden = new ForbiddenScopes('io.svc')

  const refused = [
    '*',
    'configs',
    'instances:GET',
    'io.svc.account_types',
    'io.svc.accounts.*:GET',
    'io.svc.accounts.soft_deleted:GET',
    'io.svc.apps',
    'io.svc.apps.*',
    'io.svc.apps:ALL',
    'io.svc.apps:POST:drive',
    'io.svc.konnectors',
    'io.svc.konnectors:GET,POST',
    'io.svc.konnectors:POST',
    'io.svc.oauth.*',
    'io.svc.oauth.access_codes:GET',
    'io.svc.permissions:GET',
    'io.svc.remote.*',
    'io.svc.remote.secrets:GET:x',
    'io.svc.sessions',
    'io.svc.sessions.*:GET',
    'io.svc.sessions.logins',
    'io.svc.sessions.logins:DELETE',
    'io.svc.sessions:GET',
    'secrets:GET',
  ]
  for (const scope of refused) {
    it(`refuses ${scope}`, () => {
      expect(rules(scope).some((rule) => forbidden.includes(rule))).to.equal(true)
    })
  }

  const accepted = [
    'io.svc.accounts',
    'io.svc.apps.*:GET',
    'io.svc.apps:GET',
    'io.svc.apps_suggestions',
    'io.svc.files',
    'io.svc.konnectors:GET',
    'io.svc.oauth.clients:GET',
    'io.svc.permission',
    'io.svc.remote.requests',
    'io.svc.sessions.logins:GET',
    'other.apps',
  ]
  for (const scope of accepted) {
    it(`lets ${scope} pass`, () => {
      expect(rules(scope).some((rule) => forbidden.includes(rule))).to.equal(false)
    })
  }

  it('follows the namespace', () => {
    const other = new ForbiddenScopes('com.example')
    expect(rules('com.example.apps').some((rule) => other.includes(rule))).to.equal(true)
    expect(rules('io.svc.apps').some((rule) => other.includes(rule))).to.equal(false)
  })

  it('takes another list', () => {
    const other = new ForbiddenScopes('io.svc', ['io.svc.health:GET'])
    expect(rules('io.svc.health').some((rule) => other.includes(rule))).to.equal(true)
    expect(rules('io.svc.health:POST').some((rule) => other.includes(rule))).to.equal(false)
    expect(rules('io.svc.apps').some((rule) => other.includes(rule))).to.equal(false)
    expect(rules('*').some((rule) => other.includes(rule))).to.equal(true)
  })

  it('names a list entry that is no rule', () => {
    expect(() => new ForbiddenScopes('io.svc', ['io.svc.health GET'])).to.throw(
      TypeError,
      'options.forbiddenScopes: "io.svc.health GET"',
    )
  })

  it('drops forbidden rules of a token', () => {
    const allowed = forbidden.allowed(rules('io.svc.files io.svc.apps io.svc.sessions:GET'))
    expect(serializeScope(allowed)).to.equal('io.svc.files')
  })

  it('takes only the right to install from a linked client', () => {
    const scope = 'io.svc.apps io.svc.konnectors:POST io.svc.permissions io.svc.apps.*:GET,PUT'
    expect(serializeScope(forbidden.withoutInstalling(rules(scope)))).to.equal(
      'io.svc.apps:GET io.svc.permissions io.svc.apps.*:GET',
    )
  })
})
