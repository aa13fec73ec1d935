import type Koa from 'koa'
import { CHECKUP } from './device-samples.ts'
import { gives } from './settings-samples.ts'

/** Apps that a start page leads to. */
export const HOME_APPS: readonly { readonly slug: string; readonly name: string }[] = [
  { slug: 'drive', name: 'Drive' },
  { slug: 'settings', name: 'Settings' },
]

/** Answers for a start page with something in each part. */
export function homeAnswers(): Record<string, (ctx: Koa.Context) => void> {
  return {
    'GET /settings/checkup': gives(() => ({ data: CHECKUP })),
    'GET /notifications': gives(() => ({
      data: [item('n1', 'Dana shared “Contracts”', 'drive'), read(), item('n2', 'Backup done')],
      meta: { unread: 7 },
      links: {},
    })),
    'PATCH /notifications': gives(() => ({ meta: { unread: 0 } })),
    'GET /data/io.svc.accounts': gives(() => ({
      documents: [
        { account_type: 'bank', name: 'Bank', oauth: { status: 'reconnect_required' } },
        { account_type: 'photos', name: 'Photos', oauth: { status: 'connected' } },
      ],
    })),
  }
}

function item(id: string, title: string, slug?: string): object {
  return {
    id,
    attributes: {
      title,
      message: 'Two lines\nof words.',
      ...(slug !== undefined && { slug }),
      created_at: '2026-01-02T10:00:00Z',
      read_at: null,
    },
    links: slug === undefined ? {} : { related: `https://${slug}.alice.example.com/#/one` },
  }
}

function read(): object {
  return {
    id: 'n0',
    attributes: {
      title: 'Read long ago',
      created_at: '2026-01-01T10:00:00Z',
      read_at: '2026-01-01T11:00:00Z',
    },
    links: {},
  }
}
