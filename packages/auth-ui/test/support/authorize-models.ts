import type { SharingView } from '@svc/oauth-core'
import type {
  LimitPageModel,
  MovePageModel,
  NoticePageModel,
  SharingPageModel,
} from '../../src/pages/page-models.ts'
import { formPage } from './step-models.ts'

export const LIMIT: LimitPageModel = {
  name: 'Drive for Android',
  count: 3,
  limit: 3,
  isPosted: false,
  retryHref: '/auth/authorize?client_id=b1946ac92492d2347c6235b4d2611184&scope=files',
  settingsHref: 'https://settings.alice.example.com/#/apps',
  raiseHref: 'https://shop.example.com/more',
}

export function movePage(
  client: MovePageModel['client'],
  redirectUri = 'https://move.example.com/import',
): MovePageModel {
  return {
    ...formPage(),
    salt: 'me@alice.example.com',
    iterations: 50_000,
    client,
    redirectUri,
    state: 'a state',
  }
}

export function sharingPage(view: Partial<SharingView> = {}): SharingPageModel {
  return {
    ...formPage(),
    view: {
      sharer: { name: 'Bob', domain: 'bob.example.com' },
      description: 'Holidays',
      permissions: [{ type: 'io.svc.files', verbs: ['GET', 'POST', 'PUT'] }],
      cancelUrl: '/auth/authorize/sharing/b1946ac9/cancel?state=x',
      fields: { sharing_id: 'b1946ac9', state: 'x' },
      ...view,
    },
  }
}

/** What another package asks. */
export const NOTICE: NoticePageModel = {
  title: 'Unsubscribe from “A file was shared with you” emails from Drive?',
  paragraphs: ['Other notifications from Drive stay as they are.'],
  question: {
    action: '/notifications/unsubscribe?t=v1.k.n.c',
    fields: { 'List-Unsubscribe': 'One-Click' },
    button: 'Unsubscribe',
  },
  link: { label: 'All notification settings', url: 'https://settings.alice.example.com/' },
}
