import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { isMailError, verifySmtp } from '@svc/notify'
import type { Config } from '../config/config.ts'
import { parseSmtpUrl } from '../config/smtp-url.ts'
import { type Check, fault, type Finding, ok, type Site, warning } from './check.ts'
import type { Names } from './names.ts'

/** What checks of mails ask besides. */
export interface MailContext {
  readonly config: Config
  readonly names: Names
}

/** @param isDoctor - what is a warning at a start is a fault when somebody asks */
export function mailUnset(isDoctor: boolean): Check {
  return {
    id: 'mail.unset',
    when: 'start',
    run({ config, hasOutsideDomain }) {
      if (config.smtpUrl !== undefined) return [ok('Mails go out by SMTP.')]
      if (hasOutsideDomain !== true) return [ok('No owner is outside of this machine yet.')]
      const report = isDoctor ? fault : warning
      return [
        report(
          'SVC_SMTP_URL is not set, so owners get no mail: no reset, no codes.',
          'Set it to your mail server, such as smtps://user:password@mail.example.org.',
        ),
      ]
    },
  }
}

/** Connection, TLS and login of the mail server, and the name that it is greeted with. */
export const smtpVerify: Check<Pick<MailContext, 'config'> & { readonly sites?: readonly Site[] }> =
  {
    id: 'smtp.verify',
    when: 'doctor',
    isNetwork: true,
    async run({ config, sites = [] }) {
      if (config.smtpUrl === undefined) return []
      const smtp = parseSmtpUrl(config.smtpUrl)
      const place = `${smtp.host}:${smtp.port}`
      const { ehlo, from } = config.mail
      // Without a sender's address mails come from the domain of their instance.
      const name = ehlo ?? from?.split('@')[1] ?? sites[0]?.domain.replace(/:\d+$/, '')
      const greeting = `EHLO ${name ?? '(the name of this machine)'}`
      try {
        await verifySmtp({ ...smtp, ...(name !== undefined && { localName: name }) })
        return [ok(`The mail server ${place} lets us in; we say ${greeting}.`)]
      } catch (error) {
        const reason = isMailError(error) ? (error.detail ?? error.reason) : String(error)
        return [
          fault(
            `The mail server ${place} does not let us in: ${reason}, after ${greeting}.`,
            / at (?:EHLO|HELO)\b/.test(reason)
              ? 'Set SVC_MAIL_EHLO to a name of this machine that the mail server accepts.'
              : 'Look at SVC_SMTP_URL: host, port, TLS, user and password.',
          ),
        ]
      }
    },
  }

/** The signature of mails and who may send them, as the DNS says. */
export const MAIL_DNS_CHECKS: readonly Check<MailContext>[] = [
  { id: 'mail.dkim', when: 'doctor', isNetwork: true, run: checkDkim },
  { id: 'mail.spf', when: 'doctor', isNetwork: true, run: checkSpf },
]

async function checkDkim({ config, names }: MailContext): Promise<Finding[]> {
  const { dkimDomain, dkimSelector, dkimKeyFile } = config.mail
  if (dkimDomain === undefined || dkimSelector === undefined || dkimKeyFile === undefined) return []
  const name = `${dkimSelector}._domainkey.${dkimDomain}`
  const pem = await readFile(dkimKeyFile, 'utf8').catch(() => undefined)
  if (pem === undefined) return [fault(`${dkimKeyFile} cannot be read.`, 'Put the key there.')]
  const ours = publicHalf(pem)
  const record = (await names.texts(name)).find((text) => /(?:^|;)\s*p=/.test(text))
  const create = `Create the TXT record ${name} with "v=DKIM1; k=rsa; p=${ours}".`
  if (record === undefined) return [fault(`There is no TXT record ${name}.`, create)]
  const [, theirs = ''] = /(?:^|;)\s*p=([^;]*)/.exec(record) ?? []
  return theirs.replaceAll(/\s/g, '') === ours
    ? [ok(`The record ${name} belongs to the key.`)]
    : [fault(`The record ${name} holds another key than ${dkimKeyFile}.`, create)]
}

/** Base64 of the public key, as the record has it. */
function publicHalf(pem: string): string {
  const der = createPublicKey(createPrivateKey(pem)).export({ type: 'spki', format: 'der' })
  return der.toString('base64')
}

async function checkSpf({ config, names }: MailContext): Promise<Finding[]> {
  const domain = config.mail.from?.split('@')[1]
  if (config.smtpUrl === undefined || domain === undefined) return []
  const spf = (await names.texts(domain)).some((text) => /^v=spf1(?:\s|$)/i.test(text))
  const dmarc = (await names.texts(`_dmarc.${domain}`)).some((text) => /^v=DMARC1/i.test(text))
  const findings: Finding[] = []
  if (!spf) {
    findings.push(
      warning(
        `${domain} has no SPF record.`,
        `Create the TXT record ${domain} with "v=spf1" and your mail server, such as "v=spf1 mx -all".`,
      ),
    )
  }
  if (!dmarc) {
    findings.push(
      warning(
        `${domain} has no DMARC record.`,
        `Create the TXT record _dmarc.${domain}, such as "v=DMARC1; p=quarantine".`,
      ),
    )
  }
  return findings.length > 0 ? findings : [ok(`${domain} has SPF and DMARC records.`)]
}
