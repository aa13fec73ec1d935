import type { ApnsOptions, HuaweiOptions, MobileOptions } from '../../options.ts'
import { vapidFault } from './webpush/vapid.ts'

const PATH = 'options.channels.mobile'

/** What is wrong with the options of pushes, each with its path; files are looked at later. */
export function mobileFaults({ fcm, apns, huawei, webpush }: MobileOptions): string[] {
  const faults: string[] = []
  if (fcm?.endpoint !== undefined) faults.push(...urlFaults('fcm.endpoint', fcm.endpoint))
  if (apns !== undefined) faults.push(...apnsFaults(apns))
  if (huawei !== undefined) faults.push(...huaweiFaults(huawei))
  const fault = webpush === undefined ? undefined : vapidFault(webpush)
  if (fault !== undefined) faults.push(`${PATH}.webpush.${fault}`)
  return faults
}

function apnsFaults({ keyFile, keyId, teamId, topic, host }: ApnsOptions): string[] {
  const isKey = keyFile.endsWith('.p8')
  const missing = Object.entries({ keyId, teamId, topic })
    .filter(([, value]) => isKey && (value === undefined || value === ''))
    .map(([name]) => `${PATH}.apns.${name}: is needed with a .p8 key`)
  return [...missing, ...(host === undefined ? [] : urlFaults('apns.host', host))]
}

function huaweiFaults({ getTokenUrl, clientId, clientSecret, tokenUrl, sendUrl }: HuaweiOptions) {
  const hasClient = clientId !== undefined && clientSecret !== undefined
  const urls = Object.entries({ getTokenUrl, tokenUrl, sendUrl })
  const faults = urls.flatMap(([name, url]) =>
    url === undefined ? [] : urlFaults(`huawei.${name}`, url),
  )
  if ((getTokenUrl !== undefined) === hasClient) {
    faults.push(`${PATH}.huawei: needs either getTokenUrl or clientId with clientSecret`)
  }
  return faults
}

function urlFaults(member: string, text: string): string[] {
  const protocol = URL.parse(text)?.protocol
  const isWeb = protocol === 'https:' || protocol === 'http:'
  return isWeb ? [] : [`${PATH}.${member}: is no http(s) URL`]
}
