import { appendFileSync, existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { Journal, readJournal } from '../../src/journal/journal.ts'
import { Budget, BudgetError, SAFE_BUDGET } from '../../src/net/budget.ts'
import { tempFolder } from '../support/temp-folder.ts'

const REMOVAL = { method: 'DELETE', url: 'https://host.example/auth/register/1', headers: {} }

describe('the journal of a run', () => {
  const folder = tempFolder()

  it('names what is left, last made first, for a process that was killed', () => {
    const file = path.join(folder(), 'contract-1.jsonl')
    const journal = new Journal({ run: '1', target: 'https://host.example' }, file)
    const first = journal.making('client', 'first')
    journal.made(first, REMOVAL)
    const second = journal.making('session', 'second')
    journal.made(second, REMOVAL)
    const gone = journal.making('client', 'gone')
    journal.made(gone, REMOVAL)
    journal.gone(gone.id)
    journal.making('client', 'unknown')
    // The process died while it wrote.
    appendFileSync(file, '{"made":"')
    const { removable, unknown } = readJournal(file)
    expect(removable.map(({ name }) => name)).to.deep.equal(['second', 'first'])
    expect(unknown.map(({ name }) => name)).to.deep.equal(['unknown'])
    expect(statSync(file).mode & 0o777).to.equal(0o600)
    journal.close()
    expect(existsSync(file)).to.equal(false)
  })
})

describe('the budget of a run', () => {
  const post = (path: string, body?: string, host = 'host.example') => ({
    method: 'POST',
    url: `https://${host}${path}`,
    headers: [],
    ...(body !== undefined && { body }),
  })

  it('ends a run before it registers more than an owner can stand', () => {
    const budget = new Budget()
    const request = post('/auth/register')
    for (let at = 0; at < 48; at++) budget.countRequest(request)
    expect(() => budget.countRequest(request)).to.throw(BudgetError, '48 registrations')
  })

  it('counts codes and mails by what is asked', () => {
    const budget = new Budget()
    for (let at = 0; at < 10; at++) budget.countRequest(post('/auth/session_code'))
    expect(() => budget.countRequest(post('/auth/session_code'))).to.throw(BudgetError)
    for (let at = 0; at < 6; at++) budget.countRequest(post('/auth/passphrase_reset'))
    expect(() => budget.countRequest(post('/auth/hint'))).to.throw(BudgetError, '6 mails')
    expect(SAFE_BUDGET).to.include({ requests: 1500, registrations: 48 })
  })

  const bodies: readonly (readonly [what: string, bodyOf: (value: string) => string])[] = [
    ['a form', (passphrase) => new URLSearchParams({ passphrase }).toString()],
    ['JSON', (passphrase) => JSON.stringify({ passphrase })],
  ]
  for (const [what, bodyOf] of bodies) {
    it(`counts each passphrase in ${what} that is not known to be right`, () => {
      const budget = new Budget()
      budget.knowRight('right')
      const login = (value: string) => post('/auth/login', bodyOf(value))
      for (let at = 0; at < 8; at++) {
        budget.countRequest(login(`wrong ${at}`))
        budget.countRequest(login('right'))
        budget.countRequest(login(''))
      }
      expect(() => budget.countRequest(login('wrong'))).to.throw(BudgetError, '8 wrong passphrases')
      budget.countRequest(login('right'))
    })
  }

  it('counts passcodes, whatever they are', () => {
    const budget = new Budget()
    const answer = post('/auth/twofactor', 'two-factor-passcode=123456')
    for (let at = 0; at < 4; at++) budget.countRequest(answer)
    expect(() => budget.countRequest(answer)).to.throw(BudgetError, '4 passcodes')
  })

  it('counts nothing but requests of an instance that was made for the run', () => {
    const budget = new Budget()
    budget.exempt('made.example')
    const request = post('/auth/register', undefined, 'made.example')
    for (let at = 0; at < 100; at++) budget.countRequest(request)
    expect(budget.spent('registrations')).to.equal(0)
    expect(budget.spent('requests to a fresh instance')).to.equal(100)
  })
})
