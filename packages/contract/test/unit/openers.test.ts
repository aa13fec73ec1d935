import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { ImapServer } from '../support/imap-server.ts'
import { runCommand } from '../support/run-command.ts'
import { workFolder } from '../support/temp-folder.ts'

describe('a run that cannot be opened', () => {
  const folder = workFolder()

  for (const [what, words] of [
    ['the owner', ['--driver', 'firefox']],
    ['a journal', []],
  ] as const) {
    it(`leaves no mailbox open when there is no way to ${what}`, async () => {
      const server = await ImapServer.start('password')
      // Nothing can be written where the folder of the journal is gone.
      if (what === 'a journal') rmSync(folder(), { recursive: true })
      const mailbox = server.address('password')
      const all = ['http://127.0.0.1:1', '--mailbox', mailbox, ...words]
      const { code } = await runCommand(all, { CONTRACT_OWNER_PASSPHRASE: 'a passphrase' })
      expect(code).to.equal(2)
      expect(server.commands.at(-1)).to.equal('LOGOUT')
    })
  }
})
