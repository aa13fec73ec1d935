import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { installPackages, sharedPackages, timeBudget } from '../../src/index.ts'
import { suiteFolder } from '../support/folders.ts'

const ROOT = path.resolve(import.meta.dirname, '../../../..')
/** Folders of `examples/own`, and the file of each that its page shows. */
const PARTS = {
  store: 'timed-store',
  owners: 'owners',
  channel: 'chat-room',
  factor: 'counter-token',
  login: 'login',
  mail: 'http-mail',
  documents: 'documents',
} as const

describe('stores, owners, logins, mails, documents, channels and factors of the recipes, on the packed packages', function () {
  this.timeout(timeBudget(180_000))

  const folder = suiteFolder()

  before(() => {
    for (const name of Object.keys(PARTS)) {
      cpSync(path.join(ROOT, 'examples/own', name), path.join(folder, name), { recursive: true })
    }
    installPackages(sharedPackages(ROOT), folder, {
      koa: '3.3.0',
    })
  })

  for (const [name, file] of Object.entries(PARTS)) {
    it(`${name} is what its page shows`, () => {
      const code = readFileSync(path.join(ROOT, `examples/own/${name}/${file}.ts`), 'utf8')
      const page = readFileSync(path.join(ROOT, `docs/recipes/own-${name}.md`), 'utf8')
      expect(page).to.include(`\`\`\`ts\n${code}\`\`\``)
    })

    it(`${name} does what its page says`, () => {
      const run = spawnSync(process.execPath, ['--test', `${name}/${file}.test.ts`], {
        cwd: folder,
        encoding: 'utf8',
        timeout: timeBudget(60_000),
        env: { PATH: process.env['PATH'] },
      })
      expect(run.status, `${run.stdout}${run.stderr}`).to.equal(0)
      expect(run.stdout).to.match(/^# pass [1-9]|pass [1-9]/m)
    })
  }
})
