import {
  type AppMail,
  createSystemMails,
  sampleAppMails,
  sampleMails,
  smtpTransport,
  type SystemMail,
} from '@svc/notify'
import type { Instance, InstanceId } from '@svc/platform'
import { type Listening, listen } from '@svc/testkit'
import Koa from 'koa'

/** Whose mails they are. */
const INSTANCE: Instance = {
  id: 'sample' as InstanceId,
  revision: '1' as Instance['revision'],
  domain: 'alice.example.com',
  aliases: [],
  locale: 'en',
  timeZone: 'Europe/Paris',
  email: 'alice@mail.example',
  publicName: 'Alice Martin',
  status: 'active',
  settings: {},
  createdAt: 0,
  updatedAt: 0,
  origin: 'https://alice.example.com',
  isHttps: true,
  subdomains: 'nested',
}
const TIME = Date.UTC(2026, 0, 2, 17, 40, 12)
const SAMPLES: ReadonlyMap<string, SystemMail | AppMail> = new Map<string, SystemMail | AppMail>([
  ...sampleMails(INSTANCE, TIME),
  ...sampleAppMails(INSTANCE, TIME),
])

/** Every mail there is, by the names of the samples. */
export const MAIL_NAMES: readonly string[] = [...SAMPLES.keys()]

/** Serves `/<sample>?locale=`: the HTML form of a mail, with nothing around it. */
export function mailServer(): Promise<Listening> {
  const notify = createSystemMails({
    log: { info: () => {}, warn: () => {}, error: () => {} },
    mail: { transport: smtpTransport({ host: '-' }) },
  })
  const app = new Koa()
  app.use(async (ctx) => {
    const mail = SAMPLES.get(ctx.path.slice(1))
    if (mail === undefined) return
    const locale = String(ctx.query['locale'] ?? INSTANCE.locale)
    ctx.type = 'html'
    ctx.body = (await notify.render({ ...INSTANCE, locale }, mail)).html
  })
  return listen(app)
}
