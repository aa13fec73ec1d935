import type { Door } from './doors.ts'
import type { Page } from './pages.ts'

/** An entry of the navigation, in the form that Starlight takes. */
export type SidebarItem =
  | { readonly label: string; readonly link: string }
  | { readonly label: string; readonly collapsed: boolean; readonly items: readonly SidebarItem[] }

/** Groups below the doors: what is looked up. In the order of the navigation. */
const GROUPS: readonly { readonly label: string; readonly slugs: RegExp }[] = [
  { label: 'Recipes', slugs: /^recipes(?:\/|$)/ },
  {
    label: 'Reference',
    slugs: /^(?:http-api|mails|logs|admin-api|data-model|reference\/(?!api\/|options\/))/,
  },
  { label: 'Options', slugs: /^reference\/options\// },
  { label: 'API of the packages', slugs: /^reference\/api\// },
  { label: 'Packages', slugs: /^packages\// },
  { label: 'Client guide', slugs: /^clients(?:\/|$)/ },
  { label: 'The contract', slugs: /^contract(?:\/|$)/ },
  { label: 'Specification', slugs: /^spec(?:\/|$)/ },
  { label: 'Examples', slugs: /^examples\// },
  { label: 'More', slugs: /^(?!decisions\/)/ },
]

/** The navigation: the doors first, then everything that is looked up. Decisions are reached by their list. */
export function sidebarOf(doors: readonly Door[], pages: readonly Page[]): readonly SidebarItem[] {
  const byFile = new Map(pages.map((page) => [page.file, page]))
  const listed = new Set<Page>()
  const paths = doors.map(({ title, files }) => ({
    label: title,
    collapsed: false,
    items: files.flatMap((file) => {
      const page = byFile.get(file)
      if (page === undefined) return []
      listed.add(page)
      return [item(page)]
    }),
  }))
  const groups = GROUPS.flatMap(({ label, slugs }) => {
    const items = pages.filter(
      (page) => page.slug !== '' && slugs.test(page.slug) && !listed.has(page),
    )
    for (const page of items) listed.add(page)
    return items.length === 0 ? [] : [{ label, collapsed: true, items: items.map(item) }]
  })
  return [...paths, ...groups]
}

function item({ title, slug }: Page): SidebarItem {
  return { label: title, link: `/${slug}/` }
}
