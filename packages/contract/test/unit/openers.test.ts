import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { main } from '../../src/cli/program.ts'
import { ImapServer } from '../support/imap-server.ts'

describe('a run that cannot be opened', () => {
  let folder: string
  const before = process.cwd()

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'contract-openers-'))
    process.chdir(folder)
  })
  afterEach(() => {
    process.chdir(before)
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [what, words] of [
    ['the owner', ['--driver', 'firefox']],
    ['a journal', []],
  ] as const) {
    it(`leaves no mailbox open when there is no way to ${what}`, async () => {
      const server = await ImapServer.start('password')
      // Nothing can be written where the folder of the journal is gone.
      if (what === 'a journal') rmSync(folder, { recursive: true })
      try {
        const mailbox = `imap://owner:password@127.0.0.1:${server.port}`
        const code = await main(['http://127.0.0.1:1', '--mailbox', mailbox, ...words], {
          out: () => {},
          err: () => {},
          memory: () => 0,
          environment: { CONTRACT_OWNER_PASSPHRASE: 'a passphrase' },
          signal: new AbortController().signal,
        })
        expect(code).to.equal(2)
        expect(server.commands.at(-1)).to.equal('LOGOUT')
      } finally {
        server.close()
      }
    })
  }
})
