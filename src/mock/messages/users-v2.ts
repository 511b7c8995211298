/** The users API and sessions of version 2. service behaviour 0.3, 0.26, 0.28; notation: message-table.ts. */
export const usersV2Messages = `
user.AddHumanUserRequest { user_id=1 string optional 1..200; username=2 string optional 1..200;
  organization=11 object.Organization; profile=4 user.SetHumanProfile required; email=5 user.SetHumanEmail required;
  phone=10 user.SetHumanPhone; metadata=6 user.SetMetadataEntry[]; password=7 user.Password oneof=password_type;
  hashed_password=8 user.HashedPassword oneof=password_type; idp_links=9 user.IDPLink[];
  totp_secret=12 string optional 1..200; }
object.Organization { org_id=1 string oneof=org; org_domain=2 string oneof=org; }
user.SetHumanProfile { given_name=1 string 1..200; family_name=2 string 1..200; nick_name=3 string optional ..200;
  display_name=4 string optional ..200; preferred_language=5 string optional ..10; gender=6 Gender optional; }
user.SetHumanEmail { email=1 string 1..200 email; send_code=2 user.SendEmailVerificationCode oneof=verification;
  return_code=3 user.ReturnEmailVerificationCode oneof=verification; is_verified=4 bool oneof=verification; }
user.SendEmailVerificationCode { url_template=1 string optional 1..200; }
user.ReturnEmailVerificationCode { }
user.SetHumanPhone { phone=1 string ..200; send_code=2 user.SendPhoneVerificationCode oneof=verification;
  return_code=3 user.ReturnPhoneVerificationCode oneof=verification; is_verified=4 bool oneof=verification be-true; }
user.SendPhoneVerificationCode { }
user.ReturnPhoneVerificationCode { }
user.SetMetadataEntry { key=1 string 1..200; value=2 bytes 1..500000b; }
user.Password { password=1 string 1..200; change_required=2 bool; }
user.HashedPassword { hash=1 string 1..200; change_required=2 bool; }
user.IDPLink { idp_id=1 string 1..200; user_id=2 string 1..200; user_name=3 string 1..200; }
user.UpdateHumanUserRequest { user_id=1 string 1..200; username=2 string optional 1..200;
  profile=3 user.SetHumanProfile optional; email=4 user.SetHumanEmail optional; phone=5 user.SetHumanPhone optional;
  password=6 user.SetPassword optional; }
user.SetPassword { password=1 user.Password oneof=password_type; hashed_password=2 user.HashedPassword oneof=password_type;
  current_password=3 string oneof=verification 1..200; verification_code=4 string oneof=verification 1..20; }
user.SetEmailRequest { user_id=1 string 1..200; email=2 string 1..200 email;
  send_code=3 user.SendEmailVerificationCode oneof=verification;
  return_code=4 user.ReturnEmailVerificationCode oneof=verification; is_verified=5 bool oneof=verification be-true; }
user.SetPasswordRequest { user_id=1 string 1..200; new_password=2 user.Password;
  current_password=3 string oneof=verification 1..200; verification_code=4 string oneof=verification 1..20; }
BulkRemoveUserMetadataRequest { user_id=1 string; keys=2 string[]; }
user.SetUserMetadataRequest { user_id=1 string 1..200; metadata=2 user.Metadata[]; }
user.Metadata { key=1 string 1..200; value=2 bytes 1..500000b; }
user.ListUserMetadataRequest { user_id=1 string 1..200; pagination=2 filter.PaginationRequest optional;
  filters=3 metadata.MetadataSearchFilter[]; }
filter.PaginationRequest { offset=1 uint64; limit=2 uint32; asc=3 bool; }
metadata.MetadataSearchFilter { key_filter=1 metadata.MetadataKeyFilter oneof=filter!; }
metadata.MetadataKeyFilter { key=1 string ..200; method=2 TextFilterMethod defined; }
user.AddIDPLinkRequest { user_id=1 string 1..200; idp_link=2 user.IDPLink; }
user.ListIDPLinksRequest { user_id=1 string 1..200; query=2 object.ListQuery; }
object.ListQuery { offset=1 uint64; limit=2 uint32; asc=3 bool; }
user.ListUsersRequest { query=1 object.ListQuery; sorting_column=2 UserFieldName; queries=3 user.SearchQuery[]; }
user.SearchQuery { user_name_query=1 user.UserNameQuery oneof=query!; first_name_query=2 user.FirstNameQuery oneof=query!;
  last_name_query=3 user.LastNameQuery oneof=query!; nick_name_query=4 user.NickNameQuery oneof=query!;
  display_name_query=5 user.DisplayNameQuery oneof=query!; email_query=6 user.EmailQuery oneof=query!;
  state_query=7 user.StateQuery oneof=query!; type_query=8 user.TypeQuery oneof=query!;
  login_name_query=9 user.LoginNameQuery oneof=query!; in_user_ids_query=10 user.InUserIDQuery oneof=query!;
  or_query=11 user.OrQuery oneof=query!; and_query=12 user.AndQuery oneof=query!;
  not_query=13 user.NotQuery oneof=query!; in_user_emails_query=14 user.InUserEmailsQuery oneof=query!;
  organization_id_query=15 user.OrganizationIdQuery oneof=query!; phone_query=16 user.PhoneQuery oneof=query!; }
user.UserNameQuery { user_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.FirstNameQuery { first_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.LastNameQuery { last_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.NickNameQuery { nick_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.DisplayNameQuery { display_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.EmailQuery { email_address=1 string ..200; method=2 TextQueryMethod defined; }
user.StateQuery { state=1 UserStateV2 defined; }
user.TypeQuery { type=1 UserType defined; }
user.LoginNameQuery { login_name=1 string 1..200; method=2 TextQueryMethod defined; }
user.InUserIDQuery { user_ids=1 string[]; }
user.OrQuery { queries=1 user.SearchQuery[]; }
user.AndQuery { queries=1 user.SearchQuery[]; }
user.NotQuery { query=1 user.SearchQuery; }
user.InUserEmailsQuery { user_emails=1 string[]; }
user.OrganizationIdQuery { organization_id=1 string 1..200; }
user.PhoneQuery { number=1 string ..20; method=2 TextQueryMethod defined; }
session.CreateSessionRequest { checks=1 session.Checks; }
session.Checks { user=1 session.CheckUser optional; password=2 session.CheckPassword optional; }
session.CheckUser { user_id=1 string oneof=search 1..200; login_name=2 string oneof=search 1..200; }
session.CheckPassword { password=1 string 1..200; }
`;
