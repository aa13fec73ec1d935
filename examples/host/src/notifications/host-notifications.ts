import type { TellSeal } from '@svc/activity'
import type { AuthUiOptions } from '@svc/auth-ui'
import {
  createNotify,
  type EventSink,
  type Notify,
  type OutgoingPush,
  type PushCredentialStore,
} from '@svc/notify'
import type { OAuth } from '@svc/oauth-core'
import type { Store } from '@svc/store'
import type { HostApps } from '../apps/registry.ts'
import type { Config } from '../config/config.ts'
import type { HostKonnectors } from '../konnectors/registry.ts'
import { notifyOverrides } from '../config/overrides.ts'
import { defaultSms, hasPushProvider, mobileOptions } from './channel-options.ts'
import type { DevMailbox, DevOutbox, Development } from './development.ts'
import { tellAccessEndings } from './access-notices.ts'
import { tellClientLimit } from './limit-notices.ts'
import { tellSealsBy } from './seal-notices.ts'
import { mailOptions } from './mail-options.ts'
import { createOwnerPhones, type OwnerPhones } from './owner-phone.ts'
import { developmentPushKeys } from './push-keys.ts'
import { readTemplateFile } from './template-files.ts'

/** Mails, notifications, and what takes their place in development. */
export interface HostNotifications {
  readonly notify: Notify
  readonly phones: OwnerPhones
  /** How owners are reached, for the pages of logins and the settings. */
  readonly ownerPorts: Pick<AuthUiOptions, 'contacts' | 'mailer' | 'texter'>
  /** Tells owners where the chain of their record ended. */
  readonly tellSeal: TellSeal
  /** Only where no SMTP server is set and this is not production. */
  readonly mailbox: DevMailbox | undefined
  /** Only where nobody takes pushes, or nobody takes texts, and this is not production. */
  readonly outbox: DevOutbox | undefined
}

export interface HostNotificationsOptions {
  readonly config: Config
  readonly store: Store
  readonly oauth: OAuth
  readonly apps: HostApps
  readonly konnectors: HostKonnectors
  readonly events: EventSink
  /** What takes the place of gateways; absent in production. */
  readonly development?: Development
  /** Credentials of single apps. */
  readonly pushCredentials: PushCredentialStore
}

/** @throws TypeError naming the options that cannot work, ConfigError */
export async function createHostNotifications(
  options: HostNotificationsOptions,
): Promise<HostNotifications> {
  const { config, store, oauth, apps, konnectors, events, pushCredentials, development } = options
  const values = config.notifications
  const mailbox = config.smtpUrl === undefined ? development?.createMailbox() : undefined
  const texts = defaultSms(values)
  const takesPushes = !hasPushProvider(values)
  const takesTexts = texts === undefined && values.contexts === undefined
  const outbox =
    takesPushes || takesTexts
      ? development?.createOutbox((push) => deviceName(oauth, push))
      : undefined
  const mobile = mobileOptions(values)
  const phones = createOwnerPhones(store)
  const notify = createNotify({
    oauth,
    events,
    pushCredentials,
    contacts: phones,
    channels: {
      mail: mailOptions(config, mailbox),
      mobile: {
        ...(!config.isProduction && { webpush: await developmentPushKeys(store, oauth.sealer) }),
        ...mobile,
        ...(takesPushes && outbox !== undefined && { gateway: outbox.pushes }),
      },
      sms: {
        ...(texts !== undefined && { default: texts }),
        ...(values.contexts !== undefined && { contexts: values.contexts }),
        ...(takesTexts && outbox !== undefined && { gateway: outbox.texts }),
      },
    },
    apps: {
      konnector: konnectors.installed,
      konnectors: konnectors.list,
      readFile: (app, path) => readTemplateFile(apps.folderOf(app), path),
      readKonnectorFile: (konnector, path) =>
        readTemplateFile(konnectors.folderOf(konnector), path),
    },
    ...notifyOverrides(config),
  })
  tellAccessEndings(oauth, notify)
  tellClientLimit(oauth, notify, config.raiseLimitUrl)
  apps.onChange(async (instance, slug) => {
    if ((await apps.installed(instance, slug)) !== undefined) return
    await notify.sourceGone(instance, { originator: 'app', owner: slug })
  })
  konnectors.onUninstalled((instance, slug) =>
    notify.sourceGone(instance, { originator: 'konnector', owner: slug }),
  )
  oauth.instances.onRemove(async (instance) => {
    await mailbox?.removeAll(instance)
    await outbox?.removeAll(instance)
    await phones.setPhone(instance)
  })
  const ownerPorts = { mailer: notify.mailer, texter: notify.texter, contacts: phones }
  return { notify, phones, ownerPorts, tellSeal: tellSealsBy(notify), mailbox, outbox }
}

async function deviceName(
  { clients }: Pick<OAuth, 'clients'>,
  { instance, platform, token }: OutgoingPush,
): Promise<string | undefined> {
  const devices = await clients.listNotifiable(instance)
  const device = devices.find((each) => each.platform === platform && each.token === token)
  if (device === undefined) return undefined
  return (await clients.get(instance, device.clientId))?.metadata.client_name
}
