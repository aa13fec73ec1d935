import type { Instance } from '@svc/platform'
import { readFileSync } from 'node:fs'
import { appFolders } from '../app-folders.ts'
import { createAssets } from './assets.ts'
import { findPermissionText, isSensitiveText } from '../consent/permission-texts.ts'
import { clientName } from '../consent/client-name.ts'
import { namesOfSpace } from '../consent/look-alike.ts'
import { kindWords, permissionSentence } from '../consent/permission-words.ts'
import { createMessages, type MessageSource } from '../messages.ts'
import type { PageRenderer, PagesContext } from './page-renderer.ts'
import { createConfirmPages } from './confirm-pages.ts'
import { createConsentPages } from './consent-pages.ts'
import { createInterstitialPages } from './interstitial-pages.ts'
import { createLoginPages } from './login-pages.ts'
import { createMovePages } from './move-pages.ts'
import { createNoticePages } from './notice-pages.ts'
import { createPassphrasePages } from './passphrase-pages.ts'
import { Looks } from './looks.ts'
import { themeFileName, themeMaker } from './theme-address.ts'
import { createSharingPages } from './sharing-pages.ts'
import { createShowPage } from './show-page.ts'

/** More than the port: what tests and other pages of this package need. */
export interface PagesOptions extends PagesContext {
  /** @defaultValue the catalogues of this package */
  readonly messages?: MessageSource
}

/** The pages, as the owner sees them. */
export function createPages(options: PagesOptions): PageRenderer {
  const { namespace, theme, slots = {}, views = {}, log = { error: () => {} } } = options
  const source = options.messages ?? createMessages()
  const tokens = readFileSync(`${appFolders.kit}/tokens.css`, 'utf8')
  const looks = new Looks({ theme, tokens, log })
  const { fixed } = looks
  const assets = createAssets(
    fixed === undefined || fixed.css === '' ? {} : { [themeFileName()]: fixed.css },
    themeMaker(looks, options.findClient),
  )
  const texts = options.permissionTexts ?? {}
  const findText = findPermissionText(texts)
  const productOf = (instance: Instance): string => looks.of(instance).theme.name ?? ''
  const show = createShowPage({ ...options, source, assets, looks, slots, views, log })
  return {
    rows: assets.rows,
    locales: source.locales,
    permissionWords: (locale, permission) =>
      permissionSentence(source.forLocale(locale), permission, namespace, findText),
    kindWords: (locale, permission) =>
      kindWords(source.forLocale(locale), permission, namespace, findText),
    clientName: (locale, { metadata, unnamed }) =>
      clientName(source.forLocale(locale), metadata.client_name, unnamed),
    ownNames: (instance, appNames) => namesOfSpace(instance, productOf(instance), appNames),
    ...createLoginPages(show),
    ...createPassphrasePages(show),
    ...createConfirmPages(show),
    ...createInterstitialPages(show),
    ...createNoticePages(show),
    ...createMovePages(show),
    ...createSharingPages(show, namespace, findText),
    ...createConsentPages(show, {
      namespace,
      findText,
      isSensitive: isSensitiveText(texts),
      productOf,
    }),
  }
}
