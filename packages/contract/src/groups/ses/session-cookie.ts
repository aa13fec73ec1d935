import type { Answered } from '../../model/evidence.ts'
import { headers } from '../../model/expect.ts'

/** The cookie that a login sets, beside those of forms and of known browsers. */
export function sessionCookie(answer: Answered): string | undefined {
  return headers(answer, 'set-cookie').find((value) => {
    const [name = ''] = value.split('=', 1)
    return /sess|sid\b/i.test(name) && !/max-age=0\b/i.test(value)
  })
}
