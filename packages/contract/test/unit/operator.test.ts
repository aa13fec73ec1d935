import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { readExpected, readOperator, readProfile } from '../../src/cli/options.ts'
import { CannotRun } from '../../src/index.ts'
import { removeAll } from '../../src/journal/remove.ts'
import { Budget, UNLIMITED } from '../../src/net/budget.ts'
import { Secrets } from '../../src/net/secrets.ts'
import { Wire } from '../../src/net/wire.ts'
import { execute, filledCommand } from '../../src/operator/operator.ts'
import { tempFolder } from '../support/temp-folder.ts'

const OPERATOR = { domain: 'contract-{run}.example.org', create: ['true'], remove: ['true'] }

describe('the commands of an operator', () => {
  it('are filled without a shell: a value is one word, whatever stands in it', async () => {
    const command = filledCommand(['printf', '%s|', '{domain}', '{other}'], { domain: 'a; b "c"' })
    expect(await execute(command)).to.deep.equal({ code: 0, output: 'a; b "c"|{other}|' })
  })

  it('tell what went wrong', async () => {
    expect((await execute(['no-program-of-this-name'])).output).to.include('ENOENT')
    expect((await execute(['sh', '-c', 'echo no >&2; exit 3'])).code).to.equal(3)
  })

  it('remove what was made; what is not there is gone, any other fault is left', async () => {
    const wire = new Wire({ budget: new Budget(UNLIMITED), concurrency: 1 })
    const made = (id: string, script: string) => ({
      id,
      kind: 'instance' as const,
      name: id,
      removal: { command: ['sh', '-c', script] },
    })
    const gone: string[] = []
    const removable = [
      made('there', 'exit 0'),
      made('absent', 'echo instance not found; exit 1'),
      made('failing', 'echo unknown entry; exit 1'),
    ]
    const remaining = await removeAll({ removable }, wire, (id) => gone.push(id))
    wire.close()
    expect(gone).to.deep.equal(['there', 'absent'])
    expect(remaining.map((one) => [one.made.id, one.reason])).to.deep.equal([
      ['failing', 'it ended with 1: unknown entry'],
    ])
  })
})

describe('the files of the command line', () => {
  const folder = tempFolder()

  function write(value: unknown): string {
    const file = path.join(folder(), 'file.json')
    writeFileSync(file, JSON.stringify(value))
    return file
  }

  it('hold to their schemas', () => {
    expect(readOperator(write(OPERATOR))).to.deep.equal(OPERATOR)
    const profile = readProfile(write({ extends: 'svc', namespace: 'org.example' }))
    expect(profile).to.include({ name: 'svc', namespace: 'org.example' })
    const known = [{ id: 'TOK-001', reason: 'known', until: '2027-01-31' }]
    expect(readExpected(write(known))).to.deep.equal(known)
  })

  const faults: [string, (file: string) => unknown, unknown, RegExp][] = [
    ['an operator without remove', readOperator, { domain: 'a', create: ['b'] }, /remove/],
    ['an operator with a shell line', readOperator, { ...OPERATOR, create: 'b' }, /create/],
    ['a profile with a word too many', readProfile, { extends: 'svc', hass: [] }, /additional/],
    ['a profile of nothing', readProfile, { extends: 'none' }, /extends/],
    ['an expected failure without a reason', readExpected, [{ id: 'TOK-001' }], /reason/],
  ]
  for (const [what, read, value, words] of faults) {
    it(`are refused: ${what}`, () => {
      const file = write(value)
      expect(() => read(file)).to.throw(CannotRun, words)
    })
  }
})

describe('a passcode in a recording', () => {
  it('is replaced where it stands alone, and left where it is a part of a number', () => {
    const secrets = new Secrets()
    secrets.learn('passcode', '123456')
    expect(secrets.redact('Code: 123456. At 1234567890 or 0123456')).to.equal(
      'Code: <passcode 1>. At 1234567890 or 0123456',
    )
    expect(secrets.redactAll({ at: 123_456, text: 'code=123456' })).to.deep.equal({
      at: 123_456,
      text: 'code=<passcode 1>',
    })
  })

  it('is told from a longer secret that begins as it does', () => {
    const secrets = new Secrets()
    secrets.learn('token', 'abcdef')
    secrets.learn('token', 'abcdefghij')
    expect(secrets.redact('abcdefghij abcdef-')).to.equal('<token 2> <token 1>-')
  })
})
