/** The two searches for organizations. service behaviour 0.15, 0.16; notation: message-table.ts. */
export const organizationMessages = `
ListOrgsRequest { query=1 v1common.ListQuery; sorting_column=2 OrgFieldName; queries=3 orgv1.OrgQuery[]; }
v1common.ListQuery { offset=1 uint64; limit=2 uint32; asc=3 bool; }
orgv1.OrgQuery { name_query=1 orgv1.OrgNameQuery oneof=query!; domain_query=2 orgv1.OrgDomainQuery oneof=query!;
  state_query=3 orgv1.OrgStateQuery oneof=query!; id_query=4 orgv1.OrgIDQuery oneof=query!; }
orgv1.OrgNameQuery { name=1 string ..200; method=2 TextQueryMethod defined; }
orgv1.OrgDomainQuery { domain=1 string ..200; method=2 TextQueryMethod defined; }
orgv1.OrgStateQuery { state=1 OrgState defined; }
orgv1.OrgIDQuery { id=1 string ..200; }
org.ListOrganizationsRequest { query=1 object.ListQuery; sorting_column=2 OrganizationFieldName;
  queries=3 org.SearchQuery[]; }
org.SearchQuery { name_query=1 org.OrganizationNameQuery oneof=query!;
  domain_query=2 org.OrganizationDomainQuery oneof=query!; state_query=3 org.OrganizationStateQuery oneof=query!;
  id_query=4 org.OrganizationIDQuery oneof=query!; default_query=5 org.DefaultOrganizationQuery oneof=query!; }
org.OrganizationNameQuery { name=1 string 1..200; method=2 TextQueryMethod defined; }
org.OrganizationDomainQuery { domain=1 string 1..200; method=2 TextQueryMethod defined; }
org.OrganizationStateQuery { state=1 OrganizationState defined; }
org.OrganizationIDQuery { id=1 string 1..200; }
org.DefaultOrganizationQuery { }
`;
