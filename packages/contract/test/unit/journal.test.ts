import { appendFileSync, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { Journal, readJournal } from '../../src/journal/journal.ts'
import { Budget, BudgetError } from '../../src/net/budget.ts'

const REMOVAL = { method: 'DELETE', url: 'https://host.example/auth/register/1', headers: {} }

describe('the journal of a run', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'contract-journal-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('names what is left, last made first, for a process that was killed', () => {
    const file = path.join(folder, 'contract-1.jsonl')
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
  it('ends a run before it registers more than an owner can stand', () => {
    const budget = new Budget()
    const request = { method: 'POST', url: 'https://host.example/auth/register', headers: [] }
    for (let at = 0; at < 40; at++) budget.countRequest(request)
    expect(() => budget.countRequest(request)).to.throw(BudgetError, '40 registrations')
  })

  it('counts wrong passphrases, codes and mails', () => {
    const budget = new Budget()
    for (let at = 0; at < 8; at++) budget.spend('wrong passphrases')
    expect(() => budget.spend('wrong passphrases')).to.throw(BudgetError)
    const code = { method: 'POST', url: 'https://host.example/auth/session_code', headers: [] }
    for (let at = 0; at < 10; at++) budget.countRequest(code)
    expect(() => budget.countRequest(code)).to.throw(BudgetError)
  })
})
