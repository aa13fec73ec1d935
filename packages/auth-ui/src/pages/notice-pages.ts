import { workingLink } from '../consent/redirect-target.ts'
import { isolated } from '../messages.ts'
import type { PageRenderer } from './page-renderer.ts'
import type { ShowPage } from './show-page.ts'

/** Pages whose words come from another package. */
export type NoticePageViews = Pick<PageRenderer, 'noticePage'>

export function createNoticePages({ messagesOf, show }: ShowPage): NoticePageViews {
  return {
    async noticePage(ctx, notice) {
      const { domain, publicName } = ctx.state.instance
      const name = publicName === undefined || publicName === '' ? domain : publicName
      const { link, ...rest } = notice
      const url = link === undefined ? undefined : workingLink(link.url)
      show(ctx, 'notice', {
        notice: {
          ...rest,
          ...(link !== undefined && url !== undefined && { link: { ...link, url } }),
        },
        noticeTitle: messagesOf(ctx).text('page.title', {
          task: notice.title,
          name: isolated(name),
        }),
        fields: Object.entries(notice.question?.fields ?? {}),
      })
    },
  }
}
