import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Language } from '@svc/auth-ui'

const read = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(path.join(import.meta.dirname, 'ar', name), 'utf8'))

/** What is not translated yet is English; without `partial` a gap ends the start. */
export const arabic: Language = {
  messages: read('pages.json'),
  home: read('home.json'),
  dir: 'rtl',
  partial: true,
}
