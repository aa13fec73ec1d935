import { expect } from 'chai'
import { ownerOf } from '../../src/cli/owner.ts'
import { CannotRun } from '../../src/index.ts'
import { runCommand } from '../support/run-command.ts'

describe('the owner on the command line', () => {
  const warned: string[] = []
  const warn = (text: string): void => void warned.push(text)
  beforeEach(() => warned.splice(0))

  it('is a passphrase, with a warning where others can read it', () => {
    expect(ownerOf({ ownerPassphrase: 'p' }, {}, warn)).to.deep.equal({ passphrase: 'p' })
    expect(warned[0]).to.include('can read --owner-passphrase')
    const environment = { CONTRACT_OWNER_PASSPHRASE: 'e' }
    expect(ownerOf({}, environment, warn)).to.deep.equal({ passphrase: 'e' })
  })

  it('is a session instead', () => {
    expect(ownerOf({ ownerSession: 'sessid=abc' }, {}, warn)).to.deep.equal({
      session: 'sessid=abc',
    })
    expect(warned[0]).to.include('can read --owner-session')
  })

  for (const options of [
    {},
    { ownerSession: 'no cookie' },
    { ownerSession: 'a=b', ownerPassphrase: 'p' },
    { ownerPassphraseFile: '/no/such/file' },
  ]) {
    it(`is refused as ${JSON.stringify(options)}`, () => {
      expect(() => ownerOf(options, {}, warn)).to.throw(CannotRun)
    })
  }
})

describe('a command line that cannot be run', () => {
  const cases: readonly (readonly [words: readonly string[], told: RegExp])[] = [
    [[], /Name the base/],
    [['https://host.example'], /owner is needed/],
    [['https://host.example', '--owner-passphrase', 'p', '--group', 'tok'], /no group tok/],
    [['https://host.example', '--owner-passphrase', 'p', '--driver', 'x'], /write http, chromium/],
    [['https://host.example', '--owner-passphrase', 'p', '--concurrency', '0'], /no positive/],
    [
      ['https://host.example', '--owner-passphrase', 'p', '--mailbox', 'inbox'],
      /mailbox cannot be/,
    ],
    [['ftp://host.example', '--owner-passphrase', 'p'], /no web address/],
    [['--insecure'], /unknown option/],
    [['self-test', 'http://host.example'], /give --operator/],
    [['self-test', 'https://host.example'], /speaks http/],
    [['--replay', '/no/such/file'], /no such file/],
    [['clean', '/no/such/file'], /no such file/],
    [['explain', 'XYZ-001'], /no check XYZ-001/],
  ]
  for (const [words, told] of cases) {
    it(`ends with 2: ${words.join(' ')}`, async () => {
      const { code, said } = await runCommand(words)
      expect(said).to.match(told)
      expect(code).to.equal(2)
    })
  }
})
