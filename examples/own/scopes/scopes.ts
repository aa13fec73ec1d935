import type { PermissionTexts } from '@svc/auth-ui'
import type { ScopePolicy } from '@svc/oauth-core'

/** What kinds of data are called, and what access to them means. */
export const permissionTexts: PermissionTexts = {
  'com.example.recipes': {
    en: { name: 'Recipes', read: 'See what you cook', delete: 'Throw recipes away' },
    fr: { name: 'Recettes', read: 'Voir ce que vous cuisinez' },
  },
  'com.example.diets': {
    sensitive: true,
    en: { name: 'Diets', read: 'See what you must not eat' },
  },
}

/** Nobody deletes recipes from outside, and nobody who did not name a site sees diets. */
export const scopePolicy: ScopePolicy = ({ client, permissions }) =>
  permissions
    .filter(({ type }) => type !== 'com.example.diets' || client.metadata.client_uri !== undefined)
    .map((rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'DELETE') }))
