import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { Mail, Mailbox } from './mailbox.ts'
import { parseMail } from './parse-mail.ts'

/** The folders `new` and `cur` of a Maildir. Nothing is moved or deleted. */
export function maildir(folder: string): Mailbox {
  const known = new Map<string, Mail>()

  async function read(name: string): Promise<Mail> {
    const id = path.basename(name).split(':', 1)[0] ?? name
    const mail = known.get(id) ?? (await parseMail(id, await readFile(name)))
    known.set(id, mail)
    return mail
  }

  return {
    async list() {
      const names = await Promise.all(
        ['new', 'cur'].map(async (part) => {
          const files = await readdir(path.join(folder, part)).catch(() => [])
          return files.map((file) => path.join(folder, part, file))
        }),
      )
      return Promise.all(names.flat().map(read))
    },
    close: async () => {},
  }
}
