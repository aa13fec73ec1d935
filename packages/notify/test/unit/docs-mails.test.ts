import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { sampleAppMails } from '../../src/mail/sample-app-mails.ts'
import { sampleMails } from '../../src/mail/sample-mails.ts'
import { SYSTEM_MAILS } from '../../src/mail/system-mails.ts'
import { sampleInstance } from '../sample-instance.ts'

const FACTS = ['address', 'browser', 'os', 'place', 'time']
const document = readFileSync(new URL('../../../../docs/mails.md', import.meta.url), 'utf8')
const [system = '', notifications = ''] = document.split('## Mails of notifications')
const cells = cellsOf(system)
const rows = cells.filter((row) => row.length === 6)
const variables = cells.filter((row) => row.length === 4).flatMap((row) => namesIn(row[1]))
const samples = [...sampleMails(sampleInstance(), 0).values()]

describe('docs/mails.md', () => {
  it('lists the system mails, in the order of the code', () => {
    expect(rows.flatMap((row) => namesIn(row[1]))).to.deep.equal(Object.keys(SYSTEM_MAILS))
  })

  for (const [, name = '', , actsOn, list = ''] of rows) {
    it(`tells the variables of ${name} and what to act on`, () => {
      const mails = samples.filter(({ template }) => `\`${template}\`` === name)
      const used = new Set(mails.flatMap((mail) => Object.keys(mail.variables)))
      const told = [...namesIn(list), ...(list.endsWith('facts') ? FACTS : [])]
      expect(told.sort()).to.deep.equal([...used].sort())
      expect(actsOn).to.equal(used.has('url') ? 'link' : 'code')
    })
  }

  it('lists the layouts of mails of notifications', () => {
    const layouts = new Set(
      [...sampleAppMails(sampleInstance(), 0).values()].map(({ template }) => template),
    )
    expect(cellsOf(notifications).flatMap((row) => namesIn(row[1]))).to.deep.equal([...layouts])
  })

  it('explains every variable, and no other', () => {
    const used = new Set(samples.flatMap((mail) => Object.keys(mail.variables)))
    const explained = [...variables, ...FACTS.filter((name) => name !== 'time')]
    expect(explained.sort()).to.deep.equal([...used].sort())
  })

  it('names every purpose, change and factor', () => {
    for (const { variables: values } of samples) {
      for (const name of ['purpose', 'change', 'factor'] as const) {
        const row = cells.find(([, first]) => first === `\`${name}\``)
        const value: unknown = Object.entries(values).find(([key]) => key === name)?.[1]
        if (value !== undefined) expect(row?.[2], name).to.include(`\`${String(value)}\``)
      }
    }
  })
})

function cellsOf(content: string): readonly (readonly string[])[] {
  return content
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.split('|').map((cell) => cell.trim()))
}

/** What a cell has in back quotes, without the mark of what may be absent. */
function namesIn(cell = ''): string[] {
  return [...cell.matchAll(/`([A-Za-z_]+)\??`/g)].map(([, name = '']) => name)
}
