import { readdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Mail, Mailbox, MailboxOptions } from './mailbox.ts'
import { parseMail } from './parse-mail.ts'

/** The folders `new` and `cur` of a Maildir. Nothing is moved. */
export function maildir(folder: string, { isDeleting }: MailboxOptions): Mailbox {
  const known = new Map<string, Mail>()
  const files = new Map<string, string>()

  async function read(name: string): Promise<Mail> {
    const id = path.basename(name).split(':', 1)[0] ?? name
    const mail = known.get(id) ?? (await parseMail(id, await readFile(name)))
    known.set(id, mail)
    files.set(id, name)
    return mail
  }

  return {
    async list() {
      const names = await Promise.all(
        ['new', 'cur'].map(async (part) => {
          const found = await readdir(path.join(folder, part)).catch(() => [])
          return found.map((file) => path.join(folder, part, file))
        }),
      )
      return Promise.all(names.flat().map(read))
    },
    ...(isDeleting && {
      async remove({ id }: Mail) {
        const file = files.get(id)
        if (file !== undefined) await rm(file, { force: true })
      },
    }),
    close: async () => {},
  }
}
