import type http from 'node:http'
import { listen } from '@svc/testkit'
import { readText, reply, type Scripted } from './fcm-server.ts'

interface HuaweiCall {
  readonly method: string
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly text: string
}

export type HuaweiServer = Awaited<ReturnType<typeof openHuaweiServer>>

/** Push Kit, with both ways to an access token. */
export async function openHuaweiServer() {
  const calls: HuaweiCall[] = []
  const tokenCalls: HuaweiCall[] = []
  /** Answers that come instead, first to last. */
  const answers: Scripted[] = []
  const tokenAnswers: Scripted[] = []
  const listening = await listen((request, response) => {
    void readText(request).then((text) => {
      const { method = '', url = '', headers } = request
      const isMessage = url === '/send'
      const all = isMessage ? calls : tokenCalls
      all.push({ method, path: url, headers, text })
      const token = `access-${tokenCalls.length}`
      const given =
        url === '/get-token' ? { accessToken: token } : { access_token: token, expires_in: 3600 }
      const json = isMessage ? { code: '80000000', msg: 'Success', requestId: '1' } : given
      reply(response, (isMessage ? answers : tokenAnswers).shift() ?? { status: 200, json })
    })
  })
  return {
    origin: listening.origin,
    calls,
    tokenCalls,
    answers,
    tokenAnswers,
    close: () => listening.close(),
  }
}
