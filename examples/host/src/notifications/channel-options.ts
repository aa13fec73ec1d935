import { readFileSync } from 'node:fs'
import type { ApnsOptions, HuaweiOptions, MobileOptions, SmsProvider } from '@svc/notify'
import type { NotificationValues } from '../config/notifications.ts'

/**
 * What `createNotify` takes of the configuration for pushes. Files of credentials are read there, and a bad one only switches its
 * provider off.
 * @throws TypeError naming the entry that is no use
 */
export function mobileOptions(values: NotificationValues): MobileOptions {
  const apns = apnsOptions(values)
  const huawei = huaweiOptions(values)
  const { fcmCredentialsFile, fcmEndpoint, trustedNetworks } = values
  return {
    fcm: {
      ...(fcmCredentialsFile !== undefined && { credentialsFile: fcmCredentialsFile }),
      ...(fcmEndpoint !== undefined && { endpoint: fcmEndpoint }),
    },
    ...(apns !== undefined && { apns }),
    ...(huawei !== undefined && { huawei }),
    ...(trustedNetworks !== undefined && { trustedNetworks: trustedNetworks.split(',') }),
    ...vapidOptions(values),
  }
}

/** Whether pushes have anywhere to go. */
export function hasPushProvider(values: NotificationValues): boolean {
  const { fcmCredentialsFile, iosCertificateKeyPath, huaweiSendMessage, vapidPublicKey } = values
  const all = [fcmCredentialsFile, iosCertificateKeyPath, huaweiSendMessage, vapidPublicKey]
  return all.some((value) => value !== undefined)
}

function apnsOptions(values: NotificationValues): ApnsOptions | undefined {
  const { iosCertificateKeyPath: keyFile, iosCertificatePassword: password } = values
  const { iosKeyId: keyId, iosTeamId: teamId, iosTopic: topic, apnsHost: host, apnsCa } = values
  if (keyFile === undefined) return undefined
  return {
    keyFile,
    development: values.development,
    ...(password !== undefined && { password }),
    ...(keyId !== undefined && { keyId }),
    ...(teamId !== undefined && { teamId }),
    ...(topic !== undefined && { topic }),
    ...(host !== undefined && { host }),
    ...(apnsCa !== undefined && { ca: readText(apnsCa, 'SVC_NOTIFICATIONS_APNS_CA') }),
  }
}

function huaweiOptions(values: NotificationValues): HuaweiOptions | undefined {
  const { huaweiSendMessage: sendUrl, huaweiGetToken: getTokenUrl, huaweiTokenUrl } = values
  const { huaweiClientId: clientId, huaweiClientSecret: clientSecret } = values
  if (sendUrl === undefined) return undefined
  return {
    sendUrl,
    ...(getTokenUrl !== undefined && { getTokenUrl }),
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(huaweiTokenUrl !== undefined && { tokenUrl: huaweiTokenUrl }),
  }
}

function vapidOptions(values: NotificationValues): Pick<MobileOptions, 'webpush'> {
  const { vapidPublicKey: publicKey, vapidPrivateKey: privateKey, vapidSubject: subject } = values
  const parts = [publicKey, privateKey, subject]
  if (parts.every((part) => part === undefined)) return {}
  if (publicKey === undefined || privateKey === undefined || subject === undefined) {
    throw new TypeError(
      'options.notifications.vapid: public key, private key and subject belong together',
    )
  }
  return { webpush: { publicKey, privateKey, subject } }
}

/** The gateway of texts for instances without one of their own; undefined: none. */
export function defaultSms(values: NotificationValues): SmsProvider | undefined {
  const { smsUrl: url, smsToken: token, smsProvider: provider } = values
  const { smsContentField: content, smsReceiverField: receiver } = values
  if (url === undefined) return undefined
  return {
    provider,
    url,
    token: token ?? '',
    maxLength: values.smsMaxLength,
    overflow: values.smsOverflow,
    fields: {
      ...(content !== undefined && { content }),
      ...(receiver !== undefined && { receiver }),
    },
  }
}

function readText(path: string, name: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new TypeError(`options.${name}: the file cannot be read`)
  }
}
